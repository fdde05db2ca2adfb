import { type AnswerBlock, type AnswerOptions, argumentDeltas, createWire, eventStreamHeaders, toDeltas } from "./answer.ts";

/** The API's names of HTTP statuses; others are `UNKNOWN`. */
const statusNames: Readonly<Record<number, string>> = {
  400: "INVALID_ARGUMENT",
  401: "UNAUTHENTICATED",
  403: "PERMISSION_DENIED",
  404: "NOT_FOUND",
  429: "RESOURCE_EXHAUSTED",
  500: "INTERNAL",
  503: "UNAVAILABLE",
};

/**
 * Builds responses of the Gemini API. It sends each call as a whole, so the deltas of a call are joined and must be JSON. It does not
 * count cache writes.
 */
export const google = createWire({
  answer(blocks, options = {}) {
    const chunks = blocks.flatMap(blockParts).map((part) => toServerSentEvent(chunk([part])));
    return { headers: eventStreamHeaders, steps: [...chunks, ...(options.ending ?? [toServerSentEvent(end(options))])] };
  },
  events(events, ending = []) {
    return { headers: eventStreamHeaders, steps: [...events.map(toServerSentEvent), ...ending] };
  },
  error(status, message, { type = statusNames[status] ?? "UNKNOWN", headers = {} } = {}) {
    return { status, headers, body: { error: { code: status, message, status: type } } };
  },
});

function blockParts(block: AnswerBlock): object[] {
  if ("text" in block) return toDeltas(block.text).map((text) => ({ text }));
  if ("thinking" in block) return toDeltas(block.thinking).map((text) => ({ text, thought: true }));
  const text = argumentDeltas(block).join("");
  const args = text === "" ? {} : { args: JSON.parse(text) as unknown };
  return [{ functionCall: { ...(block.id !== undefined && { id: block.id }), name: block.toolCall, ...args } }];
}

function end({ stopReason = "STOP", usage = {} }: AnswerOptions): object {
  const { input = 10, output = 5, cacheRead = 0 } = usage;
  const counts = {
    promptTokenCount: input + cacheRead,
    cachedContentTokenCount: cacheRead,
    candidatesTokenCount: output,
    totalTokenCount: input + cacheRead + output,
  };
  return { ...chunk([{ text: "" }], stopReason), usageMetadata: counts };
}

function chunk(parts: object[], finishReason?: string): object {
  const candidate = { content: { parts, role: "model" }, index: 0, ...(finishReason !== undefined && { finishReason }) };
  return { candidates: [candidate], modelVersion: "model-snapshot", responseId: "response-1" };
}

function toServerSentEvent(event: unknown): string {
  return `data: ${JSON.stringify(event)}\r\n\r\n`;
}
