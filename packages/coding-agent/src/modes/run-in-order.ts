import type { PromptInput } from "../prompt/prompt-input.ts";
import type { AgentSession } from "../session/agent-session.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";

/**
 * Starts a session and runs prompts one after another, as long as nothing asks for the end. Resolves with how the last one ended.
 *
 * @param tellFailure - Called with one line that says why a prompt before the last one failed. Default: nothing is said.
 * @throws What `prompts` rejects with, and `AgentSession.prompt`.
 */
export async function runInOrder(
  session: AgentSession,
  prompts: Promise<readonly PromptInput[]>,
  tellFailure: (error: string) => void = () => {},
): Promise<Outcome> {
  await session.start();
  const ended = session.shutdown.requested.then(() => []);
  const asked = await Promise.race([prompts, ended]);
  for (const [index, { text, ...rest }] of asked.entries()) {
    if (session.shutdown.isRequested) break;
    const last = session.messages.at(-1);
    await session.prompt(text, rest);
    const { error } = outcomeOf(session);
    // A command of an extension may have asked no model.
    const hasAnswered = session.messages.at(-1) !== last;
    if (error !== undefined && hasAnswered && index < asked.length - 1) tellFailure(error);
  }
  return outcomeOf(session);
}
