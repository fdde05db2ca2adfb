import { closeSync, openSync, writeSync } from "node:fs";

const timestamp = "2026-01-01T00:00:00.000Z";
const usage = {
  input: 1200,
  output: 300,
  cacheRead: 100,
  cacheWrite: 0,
  totalTokens: 1600,
  cost: { input: 0.001, output: 0.002, cacheRead: 0, cacheWrite: 0, total: 0.003 },
};
const origin = { api: "anthropic-messages", provider: "anthropic", model: "claude-sonnet", usage };
const code = 'export function main(argument: string): string {\n\treturn "x" + argument; // é\n}\n';

export interface SessionFileSize {
  /** At least so many bytes. */
  bytes?: number;
  /** At least so many entries. */
  entries?: number;
  /** Characters of a file that is read, one in four entries. Default: 4,000 to 8,000. */
  resultLength?: number;
}

/**
 * Writes a session as coding makes them: questions, answers that read a file, its text, answers.
 *
 * @param cwd - Its working folder, which has to exist when it is opened.
 * @returns how many entries it has.
 */
export function writeSessionFile(path: string, cwd: string, { bytes = 0, entries = 0, resultLength }: SessionFileSize): number {
  const file = openSync(path, "w");
  let written = writeSync(file, `${JSON.stringify({ type: "session", version: 3, id: "benchmark", timestamp, cwd })}\n`);
  let count = 0;
  while (written < bytes || count < entries) {
    let lines = "";
    for (const message of turn(count, resultLength ?? 4000 + ((count * 7) % 4000))) {
      const parentId = count === 0 ? null : idOf(count - 1);
      lines += `${JSON.stringify({ type: "message", id: idOf(count), parentId, timestamp, message })}\n`;
      count += 1;
    }
    written += writeSync(file, lines);
  }
  closeSync(file);
  return count;
}

function idOf(n: number): string {
  return n.toString(16).padStart(8, "0");
}

function turn(n: number, resultLength: number): object[] {
  const path = `src/file-${n}.ts`;
  const call = { type: "toolCall", id: `call_${n}`, name: "read", arguments: { path, offset: 1, limit: 200 } };
  const answer = { type: "text", text: "It returns its argument with an x in front of it. ".repeat(8) };
  const text = code.repeat(Math.ceil(resultLength / code.length)).slice(0, resultLength);
  return [
    { role: "user", content: `Question ${n}: please look at ${path} and tell me what it does.`, timestamp: n },
    { role: "assistant", content: [{ type: "text", text: "Let me see." }, call], ...origin, stopReason: "toolUse", timestamp: n },
    {
      role: "toolResult",
      toolCallId: call.id,
      toolName: "read",
      content: [{ type: "text", text }],
      details: { path, truncated: false },
      isError: false,
      timestamp: n,
    },
    { role: "assistant", content: [answer], ...origin, stopReason: "stop", timestamp: n },
  ];
}
