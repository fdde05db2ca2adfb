import type { AgentMessage } from "@pikit/agent";
import { loadApi } from "@pikit/ai";
import { SessionError } from "./errors.ts";
import { createUserMessage, type PromptInput } from "./prompt/prompt-input.ts";
import type { PromptRun } from "./run/run-controller.ts";
import type { ConnectedParts } from "./session-parts.ts";

/**
 * Accepts a prompt and starts its run: what could be wrong is found first, then the message is stored, then the model is asked.
 *
 * @throws {SessionError} When it is refused, as `AgentSession.prompt` says. Nothing is stored then.
 */
export function startRun(parts: ConnectedParts, prepare: () => Promise<AgentMessage>, signal?: AbortSignal): Promise<PromptRun> {
  return parts.runs.start(async () => {
    const { model } = parts.agent.state;
    if (!model) {
      throw new SessionError("no_model", "No model is chosen. Choose one with set_model or --model, for example demo/tour.");
    }
    // Loads while the request is made ready; whoever uses it tells what is wrong.
    loadApi(model.api).catch(() => undefined);
    await parts.systemPrompt.begin();
    const message = await prepare();
    await parts.requireCredentials(model);
    await parts.transcript.recordChoices();
    const messages = [...parts.queues.takeSteering(), message];
    for (const each of messages) await parts.transcript.accept(each);
    parts.limits.start();
    return messages;
  }, signal);
}

/** Makes the message of a prompt, after templates and extensions have had their say. */
export async function preparePrompt(
  { systemPrompt, hooks, expandPrompt, transcript }: ConnectedParts,
  typed: PromptInput,
  signal: AbortSignal | undefined,
): Promise<AgentMessage> {
  const { cwd } = transcript.conversation.header;
  const input = { ...typed, text: await expandPrompt(typed.text, cwd) };
  const prepared = await hooks.current?.beforePrompt?.(input, () => systemPrompt.text, signal);
  if (prepared && "refuse" in prepared) throw new SessionError("invalid_input", prepared.refuse);
  if (prepared?.systemPrompt !== undefined) systemPrompt.replace(prepared.systemPrompt);
  return createUserMessage(prepared?.input ?? input);
}
