import { type AnswerBlock, type AnswerOptions, argumentDeltas, createWire, eventStreamHeaders, toDeltas } from "./answer.ts";

interface WireEvent {
  type: string;
  [field: string]: unknown;
}

/** Builds responses of the Anthropic Messages API. */
export const anthropic = createWire({
  answer(blocks, options = {}) {
    const events = [messageStart(options), ...blocks.flatMap(blockEvents)];
    const steps = events.map(toServerSentEvent);
    return { headers: eventStreamHeaders, steps: [...steps, ...(options.ending ?? ends(blocks, options).map(toServerSentEvent))] };
  },
  events(events, ending = []) {
    return { headers: eventStreamHeaders, steps: [...(events as WireEvent[]).map(toServerSentEvent), ...ending] };
  },
  error(status, message, { type = "api_error", headers = {} } = {}) {
    return { status, headers, body: { type: "error", error: { type, message } } };
  },
});

function messageStart({ usage = {} }: AnswerOptions): WireEvent {
  const { input = 10, cacheRead = 0, cacheWrite = 0 } = usage;
  return {
    type: "message_start",
    message: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "model-snapshot",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: {
        input_tokens: input,
        cache_read_input_tokens: cacheRead,
        cache_creation_input_tokens: cacheWrite,
        output_tokens: 1,
      },
    },
  };
}

function blockEvents(block: AnswerBlock, index: number): WireEvent[] {
  const [content_block, deltas] = contentBlock(block, index);
  return [
    { type: "content_block_start", index, content_block },
    ...deltas.map((delta): WireEvent => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

function contentBlock(block: AnswerBlock, index: number): [WireEvent, WireEvent[]] {
  if ("text" in block) {
    return [{ type: "text", text: "" }, toDeltas(block.text).map((text) => ({ type: "text_delta", text }))];
  }
  if ("thinking" in block) {
    const deltas: WireEvent[] = toDeltas(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking }));
    deltas.push({ type: "signature_delta", signature: block.signature ?? "signature" });
    return [{ type: "thinking", thinking: "", signature: "" }, deltas];
  }
  const start = { type: "tool_use", id: block.id ?? `toolu_${index + 1}`, name: block.toolCall, input: {} };
  return [start, argumentDeltas(block).map((partial_json) => ({ type: "input_json_delta", partial_json }))];
}

function ends(blocks: AnswerBlock[], { stopReason, usage = {} }: AnswerOptions): WireEvent[] {
  const reason = stopReason ?? (blocks.some((block) => "toolCall" in block) ? "tool_use" : "end_turn");
  return [
    { type: "message_delta", delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: usage.output ?? 5 } },
    { type: "message_stop" },
  ];
}

function toServerSentEvent(event: WireEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
