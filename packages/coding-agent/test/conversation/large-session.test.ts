import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readFileLines } from "../../src/conversation/file-lines.ts";
import { userMessage } from "../helpers/messages.ts";
import { bytesRead } from "../helpers/processes.ts";
import { useWorkspace } from "../helpers/workspace.ts";
import { openToWrite, sessionText } from "./helpers.ts";

const workspace = useWorkspace();
const path = () => join(workspace.root, "session.jsonl");
const megabyte = 1024 * 1024;

/** Writes a session of at least that size: a chain of messages of some 10 kB each. Returns how many there are. */
function generateSession(size: number): number {
  const file = openSync(path(), "w");
  const timestamp = "2026-01-01T00:00:00.000Z";
  writeSync(file, sessionText([]));
  const text = "All work and no play. ".repeat(460);
  let count = 0;
  for (let written = 0; written < size; ) {
    let batch = "";
    for (let n = 0; n < 100; n += 1) {
      const id = (count + 1).toString(16).padStart(8, "0");
      const parentId = count === 0 ? null : count.toString(16).padStart(8, "0");
      batch += `${JSON.stringify({ type: "message", id, parentId, timestamp, message: userMessage(`${count} ${text}`) })}\n`;
      count += 1;
    }
    written += writeSync(file, batch);
  }
  closeSync(file);
  return count;
}

const sizes = process.env.PIKIT_LONG === "1" ? [60, 600] : [60];

test.each(sizes)(
  "SE-010 a session of %i MB loads, and an append to it reads and writes no more than the entry",
  async (size) => {
    const count = generateSession(size * megabyte);
    const conversation = await openToWrite(path());
    expect(conversation.nodes).toHaveLength(count);
    expect((await conversation.readContext()).messages).toHaveLength(count);
    const before = statSync(path());
    const readBefore = bytesRead();
    for (let n = 0; n < 20; n += 1) await conversation.appendMessage(userMessage("next"));
    expect(bytesRead() - readBefore).toBeLessThan(megabyte);
    const after = statSync(path());
    expect(after.ino).toBe(before.ino);
    expect(after.size - before.size).toBeLessThan(20 * 300);
    await conversation.close();
  },
  300_000,
);

test("lines are the same wherever chunks end, and one is longer than many chunks", () => {
  const lines = ["", "short", "€".repeat(87_400), "x".repeat(3 * megabyte), "", "y".repeat(256 * 1024 - 1), "last"];
  for (const shift of [0, 1, 2, 3]) {
    const wanted = ["a".repeat(shift), ...lines];
    const file = openSync(path(), "w+");
    writeSync(file, wanted.join("\n"));
    const found: string[] = [];
    const result = readFileLines(file, ({ text, index, offset, bytes }) => {
      expect(index).toBe(found.length);
      expect(offset).toBe(Buffer.byteLength(found.map((line) => `${line}\n`).join("")));
      expect(bytes().toString("utf8") === text).toBe(true);
      found.push(text as string);
    });
    expect(found).toEqual(wanted);
    expect(result).toEqual({ size: Buffer.byteLength(wanted.join("\n")), endsWithinLine: true });
    closeSync(file);
  }
});
