import { appendFile, chmod, link, readdir, readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Conversation } from "../../src/conversation/conversation.ts";
import { SessionFile } from "../../src/conversation/session-file.ts";
import { userMessage } from "../helpers/messages.ts";
import { readLines, type SessionLine, useWorkspace } from "../helpers/workspace.ts";
import { copySession, entriesOf, fileAt, files, openToWrite, readSession, sessionFixture, textsIn } from "./helpers.ts";

const workspace = useWorkspace();

/** A v1 file with its lines brought to the current format by hand. */
async function expectedFromV1(): Promise<SessionLine[]> {
  const [header, ...entries] = (await readLines(sessionFixture("v1.jsonl"))) as [SessionLine, ...SessionLine[]];
  const { provider, modelId, thinkingLevel, branchedFrom, ...rest } = header;
  const timestamp = header.timestamp as string;
  const all: Omit<SessionLine, "id">[] = [
    { type: "model_change", timestamp, provider, modelId },
    { type: "thinking_level_change", timestamp, thinkingLevel },
    ...entries,
  ];
  const id = (n: number) => n.toString(16).padStart(8, "0");
  const placed = all.map((entry, n) => ({ ...entry, id: id(n + 1), parentId: n === 0 ? null : id(n) })) as SessionLine[];
  const compaction = placed[7] as SessionLine;
  delete compaction.firstKeptEntryIndex;
  compaction.firstKeptEntryId = "00000005"; // line 3 of the file
  (placed[8]?.message as { role: string }).role = "custom";
  return [{ ...rest, version: 3, parentSession: branchedFrom } as SessionLine, ...placed];
}

test("SE-008 SE-009 a file of format 1 is a chain of entries with ids, its header's model and level are entries, unknown things stay", async () => {
  const path = sessionFixture("v1.jsonl");
  const { header, entries, diagnostics } = readSession(path);
  expect([header, ...entries]).toEqual(await expectedFromV1());
  expect(diagnostics).toEqual([]);
  const conversation = await Conversation.read(files, path);
  const context = await conversation.readContext();
  expect(context).toMatchObject({ model: { provider: "openai", modelId: "gpt-old" }, thinkingLevel: "low" });
  expect(context.messages.map(({ role }) => role)).toEqual(["compactionSummary", "user", "custom", "user"]);
  expect(await textsIn(path)).toEqual(["compactionSummary", "kept question", "mind the tests", "last question"]);
});

test("SE-008 SE-009 in a file of format 2, hookMessage is custom, and everything else is as it was", async () => {
  const path = sessionFixture("v2.jsonl");
  const text = await readFile(path, "utf8");
  const expected = text.replace('"version":2', '"version":3').replaceAll('"hookMessage"', '"custom"');
  const { header, entries } = readSession(path);
  expect([header, ...entries]).toEqual(
    expected
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
  );
  expect(await textsIn(path)).toEqual(["question", [{ type: "text", text: "mind the tests" }]]);
});

describe.each(["v1.jsonl", "v2.jsonl"])("SE-008 %s", (name) => {
  test("is not changed by being opened; the first append rewrites it whole, and then it is format 3", async () => {
    const path = await copySession(workspace, name);
    await chmod(path, 0o640);
    const old = await readFile(path, "utf8");
    const before = readSession(path);
    const opened = await openToWrite(path);
    await opened.close();
    expect(await readFile(path, "utf8")).toBe(old);

    const conversation = await openToWrite(path);
    const entry = await conversation.append({ type: "session_info", name: "x" });
    expect(entry.parentId).toBe(before.entries.at(-1)?.id);
    expect(await readLines(path)).toEqual([before.header, ...before.entries, entry]);
    expect((await stat(path)).mode & 0o777).toBe(0o640);
    await conversation.append({ type: "session_info", name: "y" });
    expect(await readLines(path)).toHaveLength(before.entries.length + 3);
    await conversation.close();
    expect(await readdir(workspace.root)).toEqual([name, "work"]);

    const migrated = await readFile(path, "utf8");
    expect(readSession(path).entries.slice(0, -2)).toEqual(before.entries);
    await (await openToWrite(path)).append({ type: "session_info", name: "z" });
    expect((await readFile(path, "utf8")).startsWith(migrated)).toBe(true);
  });

  test("that is a link, was read by somebody else, or has lines that cannot be read, loses nothing by the rewrite", async () => {
    const path = await copySession(workspace, name);
    const linked = join(workspace.root, "link.jsonl");
    await symlink(path, linked);
    const kept = join(workspace.root, "kept.jsonl");
    await link(path, kept);
    const old = await readFile(path);
    const torn = Buffer.concat([Buffer.from("{garbage\n"), Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from('{"type":"mess')]);
    await appendFile(path, torn);
    const conversation = await openToWrite(linked);
    await conversation.appendMessage(userMessage("next"));
    await conversation.close();
    const now = await readFile(path);
    expect(now.includes(Buffer.concat([torn, Buffer.from("\n")]))).toBe(true);
    expect(readSession(path).entries.map(({ id }) => id)).toEqual(conversation.nodes.map(({ id }) => id));
    expect((await readFile(kept)).equals(Buffer.concat([old, torn]))).toBe(true);
  });
});

test("SE-008 a compaction that counts to a line that is gone keeps from the next one on", async () => {
  const path = await workspace.write(
    "old.jsonl",
    [
      '{"type":"session","id":"x","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/work"}',
      '{"type":"message","message":{"role":"user","content":"one","timestamp":1}}',
      "{torn",
      '{"type":"message","message":{"role":"user","content":"three","timestamp":1}}',
      '{"type":"compaction","summary":"s","firstKeptEntryIndex":2,"tokensBefore":1}',
      "",
    ].join("\n"),
  );
  expect(await textsIn(path)).toEqual(["compactionSummary", "three"]);
});

test("SE-008 of two entries with one id the first counts, before and after the file is rewritten", async () => {
  const entry = (text: string) =>
    `{"type":"message","id":"0000000a","parentId":null,"message":{"role":"user","content":"${text}","timestamp":1}}\n`;
  const header = '{"type":"session","version":2,"id":"x","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/work"}\n';
  const path = await workspace.write("old.jsonl", header + entry("one") + entry("two"));
  const conversation = await openToWrite(path);
  const before = await entriesOf(conversation);
  expect(before).toMatchObject([{ message: { content: "one" } }]);
  const added = await conversation.append({ type: "session_info", name: "x" });
  await conversation.readContext();
  expect(await entriesOf(conversation)).toEqual([...before, added]);
  conversation.moveTo(null);
  await conversation.readContext();
  expect(await entriesOf(conversation)).toEqual([...before, added]);
  expect(await textsIn(path)).toEqual(["one"]);
});

test("SE-009 format 3 with entries of newer programs is read whole, says to the model what it should, and is appended to", async () => {
  const path = await copySession(workspace, "v3.jsonl");
  const before = await readFile(path, "utf8");
  const lines = await readLines(path);
  const conversation = await openToWrite(path);
  expect([conversation.header, ...(await entriesOf(conversation))]).toEqual(lines);
  expect(conversation.diagnostics).toEqual([]);
  expect(conversation.name).toBe("a name");
  await conversation.appendMessage(userMessage("next"));
  expect((await readFile(path, "utf8")).startsWith(before)).toBe(true);
  expect((await readLines(path)).at(-1)).toMatchObject({ parentId: "0a00000c" });
});

test("SE-009 a newer format is not opened, not locked and not written to", async () => {
  const path = await copySession(workspace, "v4.jsonl");
  const before = await readFile(path, "utf8");
  const error = expect.objectContaining({
    code: "unsupported_version",
    message: `${path} has session format 4, but this version of pi reads formats up to 3. Update pi. The file was not changed.`,
  });
  expect(() => readSession(path)).toThrow(error as Error);
  expect(() => new SessionFile(path).open(() => {})).toThrow(error as Error);
  const conversation = Conversation.create(fileAt(path), { cwd: "/work" });
  await expect(conversation.appendMessage(userMessage("x"))).rejects.toMatchObject({ code: "write_failed" });
  await conversation.close();
  expect(await readFile(path, "utf8")).toBe(before);
  expect(await readdir(workspace.root)).toEqual(["v4.jsonl", "work"]);
});
