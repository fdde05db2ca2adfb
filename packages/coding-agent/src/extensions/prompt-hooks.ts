import type { PromptInput } from "../prompt/prompt-input.ts";
import type { StreamingBehavior } from "../protocol/data.ts";
import type { CustomMessage } from "../protocol/messages.ts";
import type { CustomMessageInput } from "./api-messages.ts";
import type { HookEvents, InputSource } from "./events.ts";
import { type Callers, callHandlers, resultOf } from "./handler-results.ts";
import type { PreparedPrompt } from "./hooks.ts";
import { applySystemPromptOptions } from "./system-prompt-options.ts";

/** See `SessionHooks.input`. */
export async function receiveInput(
  callers: Callers,
  input: PromptInput,
  { source, behavior }: { source: InputSource; behavior: StreamingBehavior | undefined },
): Promise<PromptInput | undefined> {
  let received = input;
  const event = (): HookEvents["input"]["event"] => ({
    ...{ type: "input", text: received.text, source },
    ...(received.images?.length ? { images: [...received.images] } : {}),
    ...(behavior === undefined ? {} : { streamingBehavior: behavior }),
  });
  for await (const outcome of callHandlers(callers, "input", event)) {
    const result = resultOf<"input">(outcome);
    if (result.action === "handled") return undefined;
    if (result.action !== "transform") continue;
    const { text = received.text, images = received.images } = result;
    received = { ...received, text, images };
  }
  return received;
}

/** See `SessionHooks.beforePrompt`. */
export async function preparePrompt(
  callers: Callers,
  input: PromptInput,
  systemPrompt: () => string,
  signal?: AbortSignal,
): Promise<PreparedPrompt | { refuse: string }> {
  const prepared: PreparedPrompt = { input };
  // One object for all handlers, which may change it in place.
  const options = callers.session.systemPromptOptions;
  const before = structuredClone(options);
  const prompt = () => prepared.systemPrompt ?? applySystemPromptOptions(systemPrompt(), before, options);
  const event = (): HookEvents["before_prompt"]["event"] => ({
    ...{ type: "before_prompt", text: prepared.input.text, images: input.images ?? [] },
    ...{ systemPrompt: prompt(), systemPromptOptions: options },
  });
  for await (const outcome of callHandlers(callers, "before_prompt", event, { signal })) {
    const { text, systemPrompt: changed, refuse, message } = resultOf<"before_prompt">(outcome);
    if (typeof refuse === "string") return { refuse };
    if (typeof text === "string") prepared.input = { ...prepared.input, text };
    if (typeof changed === "string") prepared.systemPrompt = changed;
    if (message !== undefined) prepared.messages = [...(prepared.messages ?? []), toCustomMessage(message)];
  }
  const text = prompt();
  return text === systemPrompt() ? prepared : { ...prepared, systemPrompt: text };
}

function toCustomMessage({ customType, content, display = true, details }: CustomMessageInput): CustomMessage {
  return { role: "custom", customType, content, display, ...(details === undefined ? {} : { details }), timestamp: Date.now() };
}
