import type { AgentSession } from "../agent-session.ts";
import type { CreateAgentSessionOptions } from "../agent-session-options.ts";
import { createAgentSession } from "../create-agent-session.ts";
import { writeError } from "../modes/terminal-text.ts";
import type { Arguments } from "./args.ts";
import { toSessionOptions } from "./session-options.ts";
import { onEndSignal } from "./signals.ts";

/** Makes the session that the command line and the mode ask for, saves it when the process is told to end, and says what of its file was unreadable. */
export async function openSession(args: Arguments, options: CreateAgentSessionOptions = {}): Promise<AgentSession> {
  const session = await createAgentSession({ ...toSessionOptions(args), onProblem: writeError, ...options });
  onEndSignal(() => session.dispose());
  for (const line of session.diagnostics) writeError(line);
  return session;
}
