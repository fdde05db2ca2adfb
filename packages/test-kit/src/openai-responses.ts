import { type AnswerBlock, type AnswerOptions, argumentDeltas, createWire, eventStreamHeaders, toDeltas } from "./answer.ts";

interface WireEvent {
  type: string;
  [field: string]: unknown;
}

type WireItem = Record<string, unknown>;

/** Builds responses of the OpenAI Responses API. `stopReason` is the reason of an incomplete response, such as `max_output_tokens`. */
export const openaiResponses = createWire({
  answer(blocks, options = {}) {
    const start = { type: "response.created", response: response("in_progress", { output: [] }) };
    const steps = [start, ...blocks.flatMap(blockEvents)].map(toServerSentEvent);
    return { headers: eventStreamHeaders, steps: [...steps, ...(options.ending ?? [toServerSentEvent(end(blocks, options))])] };
  },
  events(events, ending = []) {
    return { headers: eventStreamHeaders, steps: [...(events as WireEvent[]).map(toServerSentEvent), ...ending] };
  },
  error(status, message, { type = "server_error", headers = {} } = {}) {
    return { status, headers, body: { error: { message, type, param: null, code: null } } };
  },
});

function blockEvents(block: AnswerBlock, output_index: number): WireEvent[] {
  const item = wireItem(block, output_index);
  const at = { output_index, item_id: item.id };
  return [
    { type: "response.output_item.added", output_index, item: { ...item, ...emptyFields(block), status: "in_progress" } },
    ...deltaEvents(block, at),
    { type: "response.output_item.done", output_index, item },
  ];
}

function wireItem(block: AnswerBlock, index: number): WireItem {
  if ("text" in block) {
    const content = [{ type: "output_text", text: toDeltas(block.text).join(""), annotations: [] }];
    return { type: "message", id: `msg_${index + 1}`, role: "assistant", status: "completed", content };
  }
  if ("thinking" in block) {
    const summary = [{ type: "summary_text", text: toDeltas(block.thinking).join("") }];
    return { type: "reasoning", id: `rs_${index + 1}`, summary, encrypted_content: block.signature ?? "signature" };
  }
  const id = block.id ?? `call_${index + 1}`;
  return {
    type: "function_call",
    id: `fc_${index + 1}`,
    call_id: id,
    name: block.toolCall,
    arguments: argumentDeltas(block).join(""),
    status: "completed",
  };
}

/** The fields that are still empty in the item's first event. */
function emptyFields(block: AnswerBlock): WireItem {
  if ("text" in block) return { content: [] };
  return "thinking" in block ? { summary: [], encrypted_content: null } : { arguments: "" };
}

function deltaEvents(block: AnswerBlock, at: object): WireEvent[] {
  if ("text" in block) {
    const part = { ...at, content_index: 0 };
    return [
      { type: "response.content_part.added", ...part, part: { type: "output_text", text: "", annotations: [] } },
      ...toDeltas(block.text).map((delta) => ({ type: "response.output_text.delta", ...part, delta })),
      { type: "response.output_text.done", ...part, text: toDeltas(block.text).join("") },
    ];
  }
  if ("thinking" in block) {
    const part = { ...at, summary_index: 0 };
    return [
      { type: "response.reasoning_summary_part.added", ...part, part: { type: "summary_text", text: "" } },
      ...toDeltas(block.thinking).map((delta) => ({ type: "response.reasoning_summary_text.delta", ...part, delta })),
      { type: "response.reasoning_summary_text.done", ...part, text: toDeltas(block.thinking).join("") },
    ];
  }
  return [
    ...argumentDeltas(block).map((delta) => ({ type: "response.function_call_arguments.delta", ...at, delta })),
    { type: "response.function_call_arguments.done", ...at, arguments: argumentDeltas(block).join("") },
  ];
}

function end(blocks: AnswerBlock[], { stopReason, usage = {} }: AnswerOptions): WireEvent {
  const { input = 10, output = 5, cacheRead = 0, cacheWrite = 0 } = usage;
  const fields = {
    output: blocks.map(wireItem),
    usage: {
      input_tokens: input + cacheRead + cacheWrite,
      input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + cacheRead + cacheWrite + output,
    },
  };
  if (stopReason === undefined) return { type: "response.completed", response: response("completed", fields) };
  const details = { ...fields, incomplete_details: { reason: stopReason } };
  return { type: "response.incomplete", response: response("incomplete", details) };
}

function response(status: string, fields: object): object {
  return { id: "resp_1", object: "response", created_at: 1, model: "model-snapshot", status, error: null, ...fields };
}

function toServerSentEvent(event: WireEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
