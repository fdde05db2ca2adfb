import { type AnswerBlock, anthropic } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { serveModels } from "../helpers/endpoints.ts";
import { startRpc, type WireRecord } from "../helpers/rpc-process.ts";
import { useWorkspace } from "../helpers/workspace.ts";
import { sendOneByOne } from "./one-by-one.ts";

const workspace = useWorkspace();

/** What the updates of one answer are on stdout, by type: bytes with each LF, without the deltas and texts that they tell. */
type Frames = Record<string, { records: number; bytes: number }>;

test("deltas mode: each of many deltas costs as many bytes as before, the last one as many as the first", async () => {
  const words = pieces("word", process.env.PIKIT_LONG === "1" ? 10_000 : 2000);
  const thoughts = pieces("thought", 100);
  const folders = ['{"path":"', ...pieces("folder", 100), '"}'];
  const { updates, frames } = await stream("deltas", [
    { thinking: thoughts },
    { text: words },
    { toolCall: "ls", id: "call_1", deltas: folders },
  ]);
  // What a delta costs is paid for every token of every model: growth here is a decision, and so is any other number below.
  expect(frames).toEqual({
    // With the usage, which is told once.
    thinking_start: { records: 1, bytes: 260 },
    thinking_delta: { records: thoughts.length, bytes: 104 * thoughts.length },
    // With the signature.
    thinking_end: { records: 1, bytes: 136 },
    text_start: { records: 1, bytes: 89 },
    text_delta: { records: words.length, bytes: 100 * words.length },
    text_end: { records: 1, bytes: 100 },
    toolcall_start: { records: 1, bytes: 123 },
    toolcall_delta: { records: folders.length, bytes: 104 * folders.length },
    // With the whole call.
    toolcall_end: { records: 1, bytes: 972 },
  });
  const textBytes = updates.reduce((sum, { type, bytes }) => (type.startsWith("text_") ? sum + bytes : sum), 0);
  expect(textBytes / words.length).toBeLessThanOrEqual(150);
});

test("snapshots mode: an update costs the answer so far twice and what it cost before", async () => {
  const words = pieces("word", 300);
  const { updates } = await stream("snapshots", [{ text: words }]);
  const deltas = updates.filter(({ type }) => type === "text_delta");
  const expected = words.map((word, n) => 810 + 2 * words.slice(0, n + 1).join("").length + word.length);
  expect(deltas.map(({ bytes }) => bytes)).toEqual(expected);
  const others = updates.filter(({ type }) => type !== "text_delta").map(({ type, bytes }) => [type, bytes]);
  const text = words.join("").length;
  expect(others).toEqual([
    ["start", 683],
    ["text_start", 799],
    // Told a third time as the content of the block.
    ["text_end", 810 + 3 * text],
    ["done", 788 + 2 * text],
  ]);
});

interface Update {
  type: string;
  /** With its LF. */
  bytes: number;
}

/** Streams an answer through `pi --mode rpc`, each update only when the one before is out, so that each leaves by itself. */
async function stream(mode: "deltas" | "snapshots", blocks: AnswerBlock[]): Promise<{ updates: Update[]; frames: Frames }> {
  const server = await serveModels(workspace);
  const { answer, seen } = sendOneByOne(anthropic.answer(blocks));
  server.respond(answer, anthropic.text("Done."));
  const rpc = startRpc(workspace, ["--no-session", "--stream", mode, "--model", "local-anthropic/claude"]);
  const updates: Update[] = [];
  const frames: Frames = {};
  let read = 0;
  let isAnswered = false;
  rpc.child.stdout.on("data", () => {
    for (; read < rpc.records.length; read += 1) {
      const { type, message, assistantMessageEvent } = rpc.records[read] as WireRecord;
      isAnswered ||= type === "message_end" && (message as { role: string }).role === "assistant";
      if (type !== "message_update" || isAnswered) continue;
      const event = assistantMessageEvent as { type: string; delta?: string; content?: string };
      const bytes = Buffer.byteLength(`${rpc.lines[read]}\n`);
      updates.push({ type: event.type, bytes });
      frames[event.type] ??= { records: 0, bytes: 0 };
      const frame = frames[event.type] as Frames[string];
      frame.records += 1;
      frame.bytes += bytes - encodedLength(event.delta ?? event.content ?? "");
      seen(event.type);
    }
  });
  await rpc.promptAndWait("Go");
  expect(await rpc.end()).toBe(0);
  return { updates, frames };
}

function pieces(word: string, count: number): string[] {
  return Array.from({ length: count }, (_, n) => `${word}${n % 10} `);
}

/** Bytes of a string in JSON, without its quotes. */
function encodedLength(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}
