import { appendFileSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readRawLines } from "../../src/conversation/raw-lines.ts";
import { useWorkspace } from "../helpers/workspace.ts";
import { openToWrite, sessionFixture } from "./helpers.ts";

const workspace = useWorkspace();

const header = '{"type":"session","version":3,"id":"s-1","timestamp":"2026-01-02T03:04:05.678Z","cwd":"/work"}';
const entry = (id: string, text = "") => `{"type":"custom","customType":"x","id":"${id}","data":"${text}"}`;

async function read(path: string): Promise<string[]> {
  const lines: string[] = [];
  for await (const portion of readRawLines(path)) lines.push(...portion);
  return lines;
}

const write = (...parts: (string | Uint8Array)[]) =>
  workspace.write("s.jsonl", Buffer.concat(parts.map((part) => Buffer.from(part as string))));

test.each(["v1", "v2"])("a file of format %s has the lines that its migration writes", async (version) => {
  const sample = sessionFixture(`${version}.jsonl`);
  const path = await workspace.write("s.jsonl", readFileSync(sample));
  const lines = await read(path);
  expect(await read(sample)).toEqual(lines);
  // The first append migrates the file.
  const conversation = await openToWrite(path);
  await conversation.append({ type: "custom", customType: "x" });
  await conversation.close();
  expect(readFileSync(path, "utf8").split("\n").slice(0, -2)).toEqual(lines);
});

test("lines are returned as they are, blank ones are left out, and the last one needs no end", async () => {
  const lines = [header, `${entry("a")}\r`, ` ${entry("b", "é😀\u2028\u0085")} `];
  expect(await read(await write(`${lines[0]}\n\n${lines[1]}\n \n${lines[2]}`))).toEqual(lines);
  expect(await read(await write(`${lines.join("\n")}\n`))).toEqual(lines);
  expect(await read(await write(header))).toEqual([header]);
});

test("lines of any length are whole, wherever a read ends", async () => {
  const lines = [header, ...[1, 262_000, 262_143, 262_144, 3_000_000, 1].map((length, n) => entry(`e${n}`, "€".repeat(length)))];
  expect(await read(await write(`${lines.join("\n")}\n`))).toEqual(lines);
});

test.each<[string, number, (string | Uint8Array)[]]>([
  ["that is cut short", 3, [header, "\n", entry("a"), "\n", '{"type":"cust']],
  ["in the middle", 2, [header, "\n", "no JSON", "\n", entry("a"), "\n"]],
  ["that is JSON, but no entry", 4, [header, "\n\n", entry("a"), "\n", "[1]", "\n"]],
  ["without an id", 2, [header, "\n", '{"type":"custom","customType":"x"}', "\n"]],
  ["with bytes that are no text", 2, [header, "\n", entry("a", "\u0000").slice(0, -3), Uint8Array.of(0xff, 0x22, 0x7d), "\n"]],
])("a damaged line %s is refused with its number", async (_title, lineNumber, parts) => {
  const path = await write(...parts);
  await expect(read(path)).rejects.toMatchObject({
    code: "read_failed",
    message: `${path}:${lineNumber} is not a session entry, so the session cannot be copied without a loss. Repair the line, or remove it.`,
  });
});

test.each([
  ["not_a_session", "text\n"],
  ["not_a_session", ""],
  ["unsupported_version", header.replace("3", "4")],
])("a file that is %s is refused", async (code, text) => {
  await expect(read(await write(text))).rejects.toMatchObject({ code });
});

test("a missing file and a folder are refused", async () => {
  await expect(read(`${workspace.root}/missing.jsonl`)).rejects.toMatchObject({ code: "not_found" });
  await expect(read(workspace.cwd)).rejects.toMatchObject({ code: "read_failed" });
});

test("a file that grows meanwhile: the lines are those of the beginning, and a line that was being written is whole", async () => {
  // Several reads, so that the file can grow between them.
  const large = entry("large", "y".repeat(300_000));
  const begun = entry("b", "x".repeat(1000));
  const path = await write(`${header}\n${large}\n${begun.slice(0, 500)}`);
  const reader = readRawLines(path);
  const lines = [...((await reader.next()).value ?? [])];
  appendFileSync(path, `${begun.slice(500)}\n${entry("later")}\n`);
  for await (const portion of reader) lines.push(...portion);
  expect(lines).toEqual([header, large, begun]);
});

test("a session that another process writes is read without its lock", async () => {
  const path = await write(`${header}\n${entry("a")}\n`);
  const conversation = await openToWrite(path);
  expect(await read(path)).toEqual([header, entry("a")]);
  await conversation.close();
});
