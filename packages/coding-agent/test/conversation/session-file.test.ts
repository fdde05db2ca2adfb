import { execFile } from "node:child_process";
import { appendFile, chmod, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { deviceIn, everyCut } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { Conversation } from "../../src/conversation/conversation.ts";
import { SessionFile } from "../../src/conversation/session-file.ts";
import type { SessionLine } from "../../src/conversation/session-store.ts";
import { userMessage } from "../helpers/messages.ts";
import { readLines, useWorkspace } from "../helpers/workspace.ts";
import { files, readSession, textsIn } from "./helpers.ts";

const workspace = useWorkspace();
const path = () => join(workspace.root, "session.jsonl");

const header = `{"type":"session","version":3,"id":"s-1","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/work"}\n`;
const entry = (id: string, parentId: string | null, text: string) =>
  `${JSON.stringify({
    type: "message",
    id,
    parentId,
    timestamp: "2026-01-01T00:00:01.000Z",
    message: { role: "user", content: text, timestamp: 1 },
  })}\n`;

/** Appends one line, as a session that has no other. */
function appendTo(store: SessionFile, line: string): void {
  store.append([JSON.parse(line) as SessionLine]);
}

async function appendText(file: string, text: string): Promise<void> {
  const conversation = await Conversation.open(files, file);
  await conversation.appendMessage(userMessage(text));
  await conversation.close();
}

test("SE-004 SE-005 a file that was cut off anywhere loads without its last line, and the next entry begins on a fresh one", async () => {
  const last = entry("00000002", "00000001", "zwei €😀");
  for (const [kept] of everyCut(last)) {
    await writeFile(path(), header + entry("00000001", null, "one"));
    await appendFile(path(), kept);
    // The whole object counts, with its newline or without.
    const isWhole = kept.length >= new TextEncoder().encode(last).length - 1;
    const before = isWhole ? ["one", "zwei €😀"] : ["one"];
    expect(await textsIn(path()), `cut at ${kept.length}`).toEqual(before);
    await appendText(path(), "three");
    expect(await textsIn(path()), `cut at ${kept.length}`).toEqual([...before, "three"]);
  }
});

describe("SE-006 lines that cannot be read", () => {
  test.each([
    ["no JSON", "{oops"],
    ["no object", "[1]"],
    ["no id", '{"type":"message","message":{"role":"user","content":"x","timestamp":1}}'],
    ["a message entry without a message", '{"type":"message","id":"0000000a","parentId":"00000001"}'],
    ["a message without a role", '{"type":"message","id":"0000000a","parentId":"00000001","message":{"content":"x"}}'],
    ["a label that is no text", '{"type":"label","id":"0000000a","parentId":"00000001","targetId":"00000001","label":{}}'],
    ["a label of nothing", '{"type":"label","id":"0000000a","parentId":"00000001","label":"x"}'],
    ["an answer without blocks", '{"type":"message","id":"0000000a","parentId":"00000001","message":{"role":"assistant"}}'],
  ])("%s: skipped and named, and the rest is there", async (_name, line) => {
    await writeFile(path(), `${header}${entry("00000001", null, "one")}${line}\n\n${entry("00000002", "00000001", "two")}`);
    const loaded = readSession(path());
    expect(loaded.entries.map(({ id }) => id)).toEqual(["00000001", "00000002"]);
    expect(loaded.diagnostics).toEqual([`${path()}:3 is not a session entry and was skipped.`]);
    expect(await textsIn(path())).toEqual(["one", "two"]);
  });

  test("an entry whose parent was lost is a root, and the conversation goes on from it", async () => {
    await writeFile(path(), header + entry("00000001", null, "one") + entry("00000003", "00000002", "three"));
    expect(await textsIn(path())).toEqual(["three"]);
    await appendText(path(), "four");
    expect(await textsIn(path())).toEqual(["three", "four"]);
  });

  test("a cycle of parents ends at the first repeated id", async () => {
    await writeFile(path(), header + entry("00000001", "00000002", "one") + entry("00000002", "00000001", "two"));
    expect(await textsIn(path())).toEqual(["one", "two"]);
  });

  test("types and fields of newer programs are kept and say nothing to the model", async () => {
    const foreign = '{"type":"context_edit","id":"0000000b","parentId":"00000001","timestamp":"x","edits":[1]}\n';
    await writeFile(path(), header + entry("00000001", null, "one") + foreign);
    await appendText(path(), "two");
    expect(await textsIn(path())).toEqual(["one", "two"]);
    expect(await readFile(path(), "utf8")).toContain(foreign);
    expect((await readLines(path())).at(-1)).toMatchObject({ parentId: "0000000b" });
  });
});

describe("SE-007 what is no session is left as it is", () => {
  test.each([
    ["notes", "Shopping list\n- milk\n", "not_a_session"],
    ["JSON of another kind", '{"type":"package","id":"x"}\n', "not_a_session"],
    ["half a header", header.slice(0, 30), "not_a_session"],
    ["a header without an id", '{"type":"session","version":3}\n', "not_a_session"],
    ["SE-009 a newer version", header.replace(":3", ":4"), "unsupported_version"],
  ])("%s", async (_name, content, code) => {
    await writeFile(path(), content);
    expect(() => readSession(path())).toThrow(expect.objectContaining({ code, message: expect.stringContaining(path()) }));
    expect(await readFile(path(), "utf8")).toBe(content);
  });

  test("a missing file, a folder and a forbidden file are named", async () => {
    expect(() => readSession(path())).toThrow(expect.objectContaining({ code: "not_found" }));
    await mkdir(path());
    expect(() => readSession(path())).toThrow(
      expect.objectContaining({ code: "read_failed", message: expect.stringContaining("EISDIR") }),
    );
  });
});

describe("appending", () => {
  test("SC-005 the folder and the file are the owner's alone; a mode that somebody set stays", async () => {
    const file = join(workspace.root, "new", "session.jsonl");
    const store = new SessionFile(file);
    appendTo(store, header);
    expect((await stat(join(workspace.root, "new"))).mode & 0o777).toBe(0o700);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    await chmod(file, 0o640);
    appendTo(store, entry("00000001", null, "one"));
    expect((await stat(file)).mode & 0o777).toBe(0o640);
  });

  test("SE-021 a folder that cannot be made, and a device in the file's place, are errors that name the file", async () => {
    await writeFile(join(workspace.root, "file"), "");
    const below = new SessionFile(join(workspace.root, "file", "session.jsonl"));
    expect(() => appendTo(below, header)).toThrow(
      expect.objectContaining({
        code: "write_failed",
        message: expect.stringMatching(/file\/session\.jsonl: (EEXIST|ENOTDIR)\. /),
      }),
    );
    await symlink(deviceIn(workspace.root, "null"), path());
    expect(() => appendTo(new SessionFile(path()), header)).toThrow(
      expect.objectContaining({
        code: "write_failed",
        message: `Cannot write to the session file ${path()}: it is a device, and a regular file is needed (EFTYPE). Move it away; then pi writes the session again.`,
      }),
    );
  });

  test("SE-021 a disk that fills up within a line leaves no part of it, and the line comes when there is space", async () => {
    const program = fileURLToPath(new URL("../fixtures/fill-session.ts", import.meta.url));
    // The largest file is 8 KB; the signal that goes with it is ignored, as a full disk sends none.
    const script = 'trap "" XFSZ; ulimit -S -f 8; exec "$0" "$@"';
    const args = ["-c", script, process.execPath, "--conditions=pikit-source", program, path()];
    const { stdout } = await promisify(execFile)("bash", args);
    const { full, failure, after } = JSON.parse(stdout) as { full: string; failure: string; after: number };
    expect(failure).toContain("EFBIG");
    expect(full.endsWith("\n")).toBe(true);
    for (const line of full.trimEnd().split("\n")) JSON.parse(line);
    expect(await textsIn(path())).toHaveLength(after);
    expect((await readFile(path(), "utf8")).startsWith(full)).toBe(true);
  });

  test("SE-021 a half line that could not be removed does not spoil what follows", async () => {
    await writeFile(path(), `${header}{"type":"mess`);
    await appendText(path(), "one");
    expect(await textsIn(path())).toEqual(["one"]);
  });
});
