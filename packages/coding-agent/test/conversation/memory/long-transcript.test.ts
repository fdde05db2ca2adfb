import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { anthropic, startProviderServer } from "@pikit/test-kit";
import { expect, onTestFinished, test } from "vitest";
import { assistantMessage, toolResult, userMessage } from "../../helpers/messages.ts";
import { useWorkspace } from "../../helpers/workspace.ts";
import type { HeldBytes } from "./hold-session.ts";
import { runProgram } from "./run-program.ts";

const isLong = process.env.PIKIT_LONG === "1";
const megabytes = isLong ? 100 : 20;

const workspace = useWorkspace();

/** Writes a session of questions, files that are read, and answers, some two kilobytes an entry. */
function writeSession(path: string, size: number): void {
  const file = openSync(path, "w");
  const timestamp = "2026-01-01T00:00:00.000Z";
  const header = { type: "session", version: 3, id: "large", timestamp, cwd: workspace.cwd };
  let written = writeSync(file, `${JSON.stringify(header)}\n`);
  let parentId: string | null = null;
  for (let n = 0; written < size; n += 1) {
    const call = { type: "toolCall" as const, id: `call_${n}`, name: "read", arguments: { path: `src/file-${n}.ts` } };
    const messages = [
      userMessage(`Question ${n}: what does src/file-${n}.ts do?`),
      assistantMessage("", { content: [{ type: "text", text: "Let me see." }, call], stopReason: "toolUse" }),
      toolResult(call.id, `const line${n} = "of code";\n`.repeat(250)),
      assistantMessage(`It is file ${n}. `.repeat(20)),
    ];
    for (const [index, message] of messages.entries()) {
      const id: string = (4 * n + index).toString(16).padStart(8, "0");
      written += writeSync(file, `${JSON.stringify({ type: "message", id, parentId, timestamp, message })}\n`);
      parentId = id;
    }
  }
  closeSync(file);
}

test(`a transcript of ${megabytes} MB is in memory once, also after a prompt`, async () => {
  const server = await startProviderServer();
  onTestFinished(() => server.close());
  const path = join(workspace.root, "large.jsonl");
  writeSession(path, megabytes * 1e6);
  const hold = (what: "parsed" | "open") => {
    server.respond(...Array.from({ length: what === "open" ? 14 : 12 }, () => anthropic.text("Nothing.")));
    return runProgram<HeldBytes>("hold-session.ts", what, path, workspace.agentDir, server.url);
  };
  const parsed = await hold("parsed");
  const open = await hold("open");
  expect(open.messages).toBe(parsed.messages);
  const ratios = [open.held, ...open.answered].map((bytes) => bytes / parsed.held);
  if (isLong)
    console.log(`${megabytes} MB, held open ÷ parsed, and after two answers: ${ratios.map((ratio) => ratio.toFixed(3)).join(" ")}`);
  const large = server.requests.filter(({ body }) => JSON.stringify(body).length > megabytes * 0.8e6);
  expect(large).toHaveLength(2);
  // Each entry has a place in the tree and one in the file besides.
  for (const ratio of ratios) expect(ratio).toBeLessThan(1.2);
});
