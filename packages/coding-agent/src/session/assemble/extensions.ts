import type { SessionAccess } from "../../extensions/session-access.ts";
import type { SlashCommand } from "../../extensions/slash-commands.ts";
import type { AgentSession } from "../agent-session.ts";
import type { SessionParts } from "../parts.ts";
import type { Configuration } from "./configuration.ts";
import type { Setup } from "./setup.ts";
import type { Supervision } from "./supervision.ts";
import type { Tools } from "./tools.ts";

/** The results of the earlier steps of the assembly. */
interface Assembled {
  setup: Setup;
  configuration: Configuration;
  supervision: Supervision;
  tools: Tools;
}

/** Connects the loaded extensions to the session. `start` of the session calls their start handlers. */
export async function bindExtensions(
  session: AgentSession,
  parts: SessionParts,
  { setup, configuration, supervision, tools }: Assembled,
): Promise<void> {
  const { options } = setup;
  const { extensions, commands } = configuration;
  const { runProcess, tiers } = tools;
  if (!extensions) return;
  let access: Promise<SessionAccess> | undefined;
  // Loaded with the first extension.
  const createAccess = async () => {
    const { createAccess: create } = await import("./extension-access.ts");
    return create(session, parts, {
      ...{ setup, configuration, supervision, runProcess, reload },
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
