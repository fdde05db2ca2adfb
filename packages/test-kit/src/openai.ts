import { type AnswerBlock, type AnswerOptions, argumentDeltas, createWire, eventStreamHeaders, toDeltas } from "./answer.ts";

/** Builds responses of the OpenAI Chat Completions API. */
export const openai = createWire({
  answer(blocks, options = {}) {
    const deltas = [{ role: "assistant", content: "" }, ...blockDeltas(blocks)];
    const steps = deltas.map((delta) => toServerSentEvent(chunk(delta)));
    return { headers: eventStreamHeaders, steps: [...steps, ...(options.ending ?? ends(blocks, options))] };
  },
  events(events, ending = []) {
    return { headers: eventStreamHeaders, steps: [...events.map(toServerSentEvent), ...ending] };
  },
  error(status, message, { type = "server_error", headers = {} } = {}) {
    return { status, headers, body: { error: { message, type, param: null, code: null } } };
  },
});

/** The end marker of a stream. */
export const openaiDone = "data: [DONE]\n\n";

function blockDeltas(blocks: AnswerBlock[]): object[] {
  let callCount = 0;
  return blocks.flatMap((block): object[] => {
    if ("text" in block) return toDeltas(block.text).map((content) => ({ content }));
    if ("thinking" in block) return toDeltas(block.thinking).map((reasoning_content) => ({ reasoning_content }));
    const index = callCount;
    callCount += 1;
    const id = block.id ?? `call_${callCount}`;
    const start = { index, id, type: "function", function: { name: block.toolCall, arguments: "" } };
    const rest = argumentDeltas(block).map((text) => ({ index, function: { arguments: text } }));
    return [start, ...rest].map((call) => ({ tool_calls: [call] }));
  });
}

function ends(blocks: AnswerBlock[], { stopReason, usage = {} }: AnswerOptions): string[] {
  const reason = stopReason ?? (blocks.some((block) => "toolCall" in block) ? "tool_calls" : "stop");
  const { input = 10, output = 5, cacheRead = 0, cacheWrite = 0 } = usage;
  const counts = {
    prompt_tokens: input + cacheRead + cacheWrite,
    completion_tokens: output,
    total_tokens: input + cacheRead + cacheWrite + output,
    prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
  };
  return [toServerSentEvent(chunk({}, reason)), toServerSentEvent({ ...chunk({}), choices: [], usage: counts }), openaiDone];
}

function chunk(delta: object, finishReason: string | null = null): object {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "model-snapshot",
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  };
}

function toServerSentEvent(event: unknown): string {
  return `data: ${JSON.stringify(event)}\n\n`;
}
