/**
 * A run in deltas mode, one record a line.
 *
 * @param answers - of the model, with so many `deltas` each.
 */
export function recordedRun(answers: number, deltas: number): string {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
  const message = { role: "assistant", content: [], api: "a", provider: "p", model: "m", usage, stopReason: "stop", timestamp: 1 };
  const update = (event: object) => ({ type: "message_update", assistantMessageEvent: event });
  const delta = update({ type: "text_delta", contentIndex: 0, delta: " word" });
  const answer = [
    { type: "message_start", message },
    update({ type: "text_start", contentIndex: 0 }),
    ...Array.from({ length: deltas }, () => delta),
    { type: "message_end", message },
  ];
  const all = [
    { type: "agent_start" },
    ...Array.from({ length: answers }, () => answer).flat(),
    { type: "agent_end", messages: [], willRetry: false },
    { type: "agent_settled" },
  ];
  return all.map((record) => `${JSON.stringify(record)}\n`).join("");
}
