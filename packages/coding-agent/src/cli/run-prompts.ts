import { keyVariablesOf, providers } from "@pikit/ai";
import { createAgentSession } from "../create-agent-session.ts";
import { SessionError, UsageError } from "../errors.ts";
import { runJsonMode } from "../modes/json.ts";
import { runPrintMode } from "../modes/print.ts";
import { runTextMode } from "../modes/text.ts";
import type { StreamMode } from "../protocol/data.ts";
import type { Arguments } from "./args.ts";
import { preparePlainOutput } from "./plain-output.ts";
import { readPrompts } from "./prompts.ts";
import { toSessionOptions } from "./session-options.ts";
import { onEndSignal } from "./signals.ts";

/** `pi [prompt]`, `pi -p` and `pi --mode json`. */
export async function runPrompts(mode: string, args: Arguments): Promise<number> {
  const session = await createAgentSession(toSessionOptions(args));
  onEndSignal(() => session.dispose());
  if (!session.model) throw new SessionError("no_model", noModelMessage());
  const prompts = await readPrompts(args.prompts, session.cwd);
  if (prompts.length === 0) throw new UsageError("The prompt is empty: stdin had nothing. Give a prompt argument, or pipe one.");
  if (mode === "json") return runJsonMode(session, prompts, (args.options.stream ?? "snapshots") as StreamMode);
  const settleOutput = preparePlainOutput();
  const exitCode = await (mode === "print" ? runPrintMode : runTextMode)(session, prompts);
  await settleOutput();
  return exitCode;
}

function noModelMessage(): string {
  const variables = providers.flatMap(({ provider }) => keyVariablesOf(provider)).join(" or ");
  return `No model to ask: set ${variables}, choose one with --model provider/id, or try the offline demo with --model demo/tour.`;
}
