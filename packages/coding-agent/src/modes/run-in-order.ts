import type { PromptInput } from "../prompt/prompt-input.ts";
import type { AgentSession } from "../session/agent-session.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";

/**
 * Starts a session and runs the prompts one after another, until an extension requests a shutdown. Resolves with the outcome of the last one.
 *
 * @param reportFailure - Called with the reason, in one line, if a prompt before the last one failed. Default: no report.
 * @throws The rejection of `prompts`, and the errors of `AgentSession.prompt`.
 */
export async function runInOrder(
  session: AgentSession,
  prompts: Promise<readonly PromptInput[]>,
  reportFailure: (error: string) => void = () => {},
): Promise<Outcome> {
  await session.start();
  const ended = session.shutdown.requested.then(() => []);
  const asked = await Promise.race([prompts, ended]);
  for (const [index, { text, ...rest }] of asked.entries()) {
    if (session.shutdown.isRequested) break;
    const last = session.messages.at(-1);
    await session.prompt(text, rest);
    const { error } = outcomeOf(session);
    // A command of an extension may do its work without the model.
    const hasAnswered = session.messages.at(-1) !== last;
    if (error !== undefined && hasAnswered && index < asked.length - 1) reportFailure(error);
  }
  return outcomeOf(session);
}
