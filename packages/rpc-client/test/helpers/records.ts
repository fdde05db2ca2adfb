import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RpcClient } from "../../src/index.ts";
import { startClient } from "./clients.ts";

export const user = (content: string) => ({ role: "user", content, timestamp: 1 });
export const start = { type: "agent_start" };
export const end = (text: string) => ({ type: "agent_end", messages: [user(text)], willRetry: false });
export const settled = { type: "agent_settled" };
/** A whole run, which adds one message. */
export const run = (text: string) => [start, end(text), settled];
export const delta = (event: object) => ({ type: "message_update", assistantMessageEvent: event });

/** An agent that plays, at each prompt, the next list of records. At an abort it tells of it, and settles. */
export async function playing(...prompts: unknown[][]): Promise<RpcClient> {
  const records = join(mkdtempSync(join(tmpdir(), "rpc-client-")), "records.json");
  writeFileSync(records, JSON.stringify({ streamMode: "deltas", prompts }));
  return await startClient("plays-records", { env: { RECORDS: records } });
}

export function answer(content: object[]) {
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost };
  return { role: "assistant", content, api: "fake", provider: "fake", model: "fake", usage, stopReason: "stop", timestamp: 1 };
}
