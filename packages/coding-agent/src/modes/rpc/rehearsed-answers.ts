/** The shortest answer of each api that is reached by HTTP: one word. */
export const rehearsedAnswers: Readonly<Record<string, string>> = {
  "anthropic-messages": answer(
    { type: "message_start", message: { id: "-", role: "assistant", content: [], usage: { input_tokens: 0, output_tokens: 0 } } },
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "-" } },
    { type: "content_block_stop", index: 0 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 0 } },
    { type: "message_stop" },
  ),
  "openai-completions": answer(
    { choices: [{ index: 0, delta: { role: "assistant", content: "-" } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    "[DONE]",
  ),
  "openai-responses": answer(
    { type: "response.created", response: { id: "-" } },
    { type: "response.output_item.added", output_index: 0, item: { type: "message", id: "-", role: "assistant", content: [] } },
    {
      type: "response.content_part.added",
      output_index: 0,
      content_index: 0,
      item_id: "-",
      part: { type: "output_text", text: "" },
    },
    { type: "response.output_text.delta", output_index: 0, content_index: 0, item_id: "-", delta: "-" },
    { type: "response.completed", response: { id: "-", status: "completed", usage: { input_tokens: 0, output_tokens: 0 } } },
  ),
  "google-generative-ai": answer({ candidates: [{ content: { role: "model", parts: [{ text: "-" }] }, finishReason: "STOP" }] }),
};

function answer(...events: (object | string)[]): string {
  const lines = events.map((event) => `data: ${typeof event === "string" ? event : JSON.stringify(event)}\n\n`);
  return `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n${lines.join("")}`;
}
