import type { SessionAccess } from "../../extensions/session-access.ts";
import type { SlashCommand } from "../../extensions/slash-commands.ts";
import type { AgentSession } from "../agent-session.ts";
import type { SessionParts } from "../parts.ts";
import type { Configuration } from "./configuration.ts";
import type { Prompts } from "./prompts.ts";
import type { Setup } from "./setup.ts";
import type { Tools } from "./tools.ts";

/** Connects the loaded extensions to the session. `start` of the session calls their start handlers. */
export async function bindExtensions(
  session: AgentSession,
  parts: SessionParts,
  { setup, configuration, tools, prompts }: { setup: Setup; configuration: Configuration; tools: Tools; prompts: Prompts },
): Promise<void> {
  const { options } = setup;
  const { extensions, commands, resources } = configuration;
  const { runProcess, tiers } = tools;
  if (!extensions) return;
  let access: Promise<SessionAccess> | undefined;
  // Loaded with the first extension.
  const createAccess = async () => {
    const { createSessionAccess } = await import("../access.ts");
    return createSessionAccess(session, parts, {
      ...{ runProcess, reload },
      isTrusted: () => resources.trustsProject,
      systemPromptOptions: () => prompts.describeSystemPrompt(),
      setTiers(brought) {
        tiers.current = { ...brought, ...options.toolTiers };
      },
    });
  };
  const reload = async () => {
    parts.prompts.forget();
    parts.systemPrompt.forget();
    await tools.offerTools();
    access ??= createAccess();
    await extensions.reload(await access);
  };
  commands.register(reloadCommand(reload));
  if (!extensions.hasAny) return;
  await tools.offerTools();
  access ??= createAccess();
  await extensions.bind(await access);
}

function reloadCommand(run: () => Promise<void>): SlashCommand {
  return { name: "reload", source: "extension", isHidden: true, run };
}
