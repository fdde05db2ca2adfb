import type { AgentMessage } from "@pikit/agent";
import { loadApi, ownTurn } from "@pikit/ai";
import { SessionError } from "../errors.ts";
import type { InputSource } from "../extensions/events.ts";
import type { SlashCall } from "../extensions/slash-commands.ts";
import { createUserMessage, type PromptInput } from "../prompt/prompt-input.ts";
import type { StreamingBehavior } from "../protocol/data.ts";
import type { PromptRun } from "../run/run-controller.ts";
import type { TraceContext } from "../trace-context.ts";
import type { SessionParts } from "./parts.ts";

/**
 * Accepts a prompt and starts its run. All checks come first, then the message is stored, then the model is called.
 *
 * @param prepare - Creates the messages.
 * @param promptId - The id under which the message of the user is stored.
 * @param trace - The trace of the caller, for the instrumentation.
 * @throws {SessionError} When the prompt is refused, see `AgentSession.prompt`. Nothing is stored then.
 */
export function startRun(
  parts: SessionParts,
  prepare: () => Promise<AgentMessage[]>,
  {
    signal,
    promptId,
    trace,
  }: { signal?: AbortSignal | undefined; promptId?: string | undefined; trace?: TraceContext | undefined } = {},
): Promise<PromptRun> {
  const { agent, instruments, limits, queues, registry, runs, systemPrompt, transcript } = parts;
  return runs.start(async (abortRun) => {
    const { model } = agent.state;
    if (!model) {
      throw new SessionError("no_model", "No model is chosen. Choose one with set_model or --model, for example demo/tour.");
    }
    // Loads while the request is prepared; the first use of the adapter reports a failure.
    loadApi(model.api).catch(() => undefined);
    // First, so that sessions that get a prompt at the same time share a look at the files.
    await systemPrompt.begin();
    await ownTurn();
    const prepared = await prepare();
    await registry.requireCredentials(model);
    await transcript.recordChoices();
    const last = prepared.at(-1);
    const prompt = prepared.find(({ role }) => role === "user");
    if (promptId !== undefined && prompt) transcript.setQueueId(prompt, promptId);
    const queued = queues.takeSteering();
    // Results must follow their calls before any other message.
    const messages = last?.role === "toolResult" ? [...prepared, ...queued] : [...queued, ...prepared];
    for (const each of messages) await transcript.accept(each);
    limits.start(abortRun);
    instruments.call((instrumentation) => instrumentation.runStarted?.({ trace }));
    return messages;
  }, signal);
}

/**
 * Calls the extensions with an input of the user, before templates are expanded.
 *
 * @param received - `behavior`: how it is queued; absent if it starts a run.
 * @returns The input to use; undefined if an extension has handled it.
 */
export async function receiveInput(
  { hooks, user }: SessionParts,
  input: PromptInput,
  { source, behavior }: { source: InputSource | undefined; behavior?: StreamingBehavior },
): Promise<PromptInput | undefined> {
  const { current } = hooks;
  if (!current?.input) return input;
  return current.input(input, { source: source ?? (user.mode === "rpc" ? "rpc" : "interactive"), behavior });
}

/** Stands for a prompt that an extension has handled. Like a command, it sends nothing to the model, and has the usual events. */
export const noCommand: SlashCall = {
  command: { name: "", source: "extension", async run() {} },
  args: "",
};

/** Creates the messages of a prompt, the user's first: expands templates, then calls the extensions. */
export async function preparePrompt(
  { systemPrompt, hooks, prompts, transcript }: SessionParts,
  typed: PromptInput,
  { signal, isExpanded }: { signal: AbortSignal | undefined; isExpanded: boolean },
): Promise<AgentMessage[]> {
  const { cwd } = transcript.conversation.header;
  const input = isExpanded ? { ...typed, text: await prompts.expand(typed.text, cwd) } : typed;
  const prepared = await hooks.current?.beforePrompt?.(input, () => systemPrompt.text, signal);
  if (prepared && "refuse" in prepared) throw new SessionError("invalid_input", prepared.refuse);
  if (prepared?.systemPrompt !== undefined) systemPrompt.replace(prepared.systemPrompt);
  return [createUserMessage(prepared?.input ?? input), ...(prepared?.messages ?? [])];
}
