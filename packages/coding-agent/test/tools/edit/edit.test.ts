import { chmod, mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Agent } from "@pikit/agent";
import { createScriptedModel } from "@pikit/ai";
import { describe, expect, test } from "vitest";
import { createEditTool } from "../../../src/tools/edit/definition.ts";
import type { EditParameters } from "../../../src/tools/edit/parameters.ts";
import { useTempFolder } from "../../exec/temp-folder.ts";
import { runTool, textOf } from "../run-tool.ts";

const folder = useTempFolder();

function edit(params: EditParameters) {
  return runTool(createEditTool(folder.path), params);
}

async function editFile(content: string | Uint8Array, params: Omit<EditParameters, "path">): Promise<string> {
  const path = join(folder.path, "a.txt");
  await writeFile(path, content);
  await edit({ path: "a.txt", ...params });
  return readFile(path, "utf8");
}

/** Runs an edit that must fail, and checks that the file is untouched. */
async function failToEdit(content: string | Uint8Array, params: Omit<EditParameters, "path">): Promise<unknown> {
  const path = join(folder.path, "a.txt");
  await writeFile(path, content);
  const longAgo = new Date(1_000_000_000_000);
  await utimes(path, longAgo, longAgo);
  const error = await edit({ path: "a.txt", ...params }).catch((reason: unknown) => reason);
  expect((await stat(path)).mtime).toEqual(longAgo);
  expect(await readFile(path)).toEqual(Buffer.from(content));
  return error;
}

test("an edit reports what it did, with a diff for user interfaces", async () => {
  await writeFile(join(folder.path, "a.txt"), "one\ntwo\nthree\n");
  expect(await edit({ path: "a.txt", oldText: "two", newText: "2" })).toEqual({
    content: [{ type: "text", text: "Edited a.txt: 1 replacement, first changed line 2." }],
    details: {
      path: join(folder.path, "a.txt"),
      diff: "--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n",
      firstChangedLine: 2,
      replacements: 1,
      tolerantMatches: 0,
    },
  });
});

describe("TL-021 exactly one match", () => {
  test("none", async () => {
    expect(await failToEdit("abc\n", { oldText: "abd", newText: "x" })).toMatchObject({
      code: "not_found",
      message: expect.stringMatching(/^oldText was not found in a\.txt\. Nothing was changed\./),
    });
  });

  test("several, named by count and lines", async () => {
    expect(await failToEdit("x\ny\nx\nx\n", { oldText: "x", newText: "z" })).toMatchObject({
      code: "ambiguous",
      message: "oldText occurs 3 times in a.txt (lines 1, 3, 4). Nothing was changed. Add lines around it until it occurs once.",
    });
    expect(await failToEdit("x\n".repeat(7), { oldText: "x", newText: "z" })).toMatchObject({
      message: expect.stringContaining("7 times in a.txt (lines 1, 2, 3, 4, 5, …)"),
    });
  });

  test("overlapping occurrences count", async () => {
    expect(await failToEdit("aaa", { oldText: "aa", newText: "b" })).toMatchObject({
      code: "ambiguous",
      message: expect.stringContaining("2 times"),
    });
  });

  test("empty old text", async () => {
    expect(await failToEdit("abc", { oldText: "", newText: "x" })).toMatchObject({ code: "empty_old_text" });
    expect(await failToEdit("", { edits: [{ oldText: "", newText: "x" }] })).toMatchObject({ code: "empty_old_text" });
  });
});

test("TL-022 an edit that changes nothing is an error and leaves the file alone", async () => {
  expect(await failToEdit("abc\n", { oldText: "abc", newText: "abc" })).toMatchObject({ code: "no_change" });
});

describe("TL-023 line ends and byte order marks", () => {
  test("LF in the edit matches CRLF, and new lines get CRLF", async () => {
    expect(await editFile("a\r\nb\r\nc\r\n", { oldText: "a\nb\n", newText: "1\n2\n3\n" })).toBe("1\r\n2\r\n3\r\nc\r\n");
    expect(await editFile("a\r\nb\r\nc", { oldText: "\nb", newText: "\r\nB\n" })).toBe("a\r\nB\r\n\r\nc");
  });

  test("CRLF in the edit matches LF", async () => {
    expect(await editFile("a\nb\nc\n", { oldText: "a\r\nb", newText: "x" })).toBe("x\nc\n");
  });

  test("in a mixed file only the edited lines change", async () => {
    expect(await editFile("a\r\nb\nc\r\nd\r\ne\n", { oldText: "c\nd", newText: "C\nD" })).toBe("a\r\nb\nC\r\nD\r\ne\n");
  });

  test("a byte order mark is ignored for matching, and kept", async () => {
    expect(await editFile("\ufeffa\nb", { oldText: "a\n", newText: "x\n" })).toBe("\ufeffx\nb");
  });

  test("a missing final line feed stays missing, a present one present", async () => {
    expect(await editFile("a\nb", { oldText: "b", newText: "c" })).toBe("a\nc");
    expect(await editFile("a\nb\n", { oldText: "b", newText: "c" })).toBe("a\nc\n");
  });
});

describe("TL-025 several edits", () => {
  test("all match against the original file", async () => {
    const edits = [
      { oldText: "b", newText: "a" },
      { oldText: "a", newText: "b" },
    ];
    expect(await editFile("a b\n", { edits })).toBe("b a\n");
  });

  test("are made all or not at all", async () => {
    const edits = [
      { oldText: "a", newText: "x" },
      { oldText: "nope", newText: "y" },
    ];
    expect(await failToEdit("a b\n", { edits })).toMatchObject({
      code: "not_found",
      message: expect.stringMatching(/^edits\[1\]\.oldText/),
    });
  });

  test("must not overlap, but may touch", async () => {
    const touching = [
      { oldText: "ab", newText: "1" },
      { oldText: "cd", newText: "2" },
    ];
    expect(await editFile("abcd", { edits: touching })).toBe("12");
    const overlapping = [
      { oldText: "bcd", newText: "1" },
      { oldText: "abc", newText: "2" },
    ];
    expect(await failToEdit("abcd", { edits: overlapping })).toMatchObject({
      code: "overlap",
      message: "edits[1] and edits[0] overlap in a.txt. Nothing was changed. Merge them into one edit.",
    });
  });
});

test("TL-026 a file that is not UTF-8 is refused", async () => {
  expect(await failToEdit(Buffer.from("caf\xe9 a\n", "latin1"), { oldText: "a\n", newText: "b\n" })).toMatchObject({
    code: "not_utf8",
  });
  expect(await failToEdit(Buffer.from("\ufeffa", "utf16le"), { oldText: "a", newText: "b" })).toMatchObject({ code: "not_utf8" });
});

describe("TL-027 arguments as models slip them", () => {
  /** Calls the tool as a model does, through the loop that mends and checks the arguments. */
  async function callEdit(args: Record<string, unknown>): Promise<{ text: string; file: string }> {
    const path = join(folder.path, "a.txt");
    await writeFile(path, "a c");
    const script = [{ text: "", toolCalls: [{ name: "edit", arguments: { path: "a.txt", ...args } }] }, { text: "Done." }];
    const agent = new Agent({ model: createScriptedModel({ script }), tools: [createEditTool(folder.path)] });
    await agent.prompt("Go.");
    const text = agent.state.messages
      .flatMap((message) => (message.role === "toolResult" ? [textOf({ content: message.content, details: null })] : []))
      .join();
    return { text, file: await readFile(path, "utf8") };
  }

  const pair = { oldText: "a", newText: "b" };
  test.each([
    ["a list", { edits: [pair] }],
    ["a list as a string of JSON", { edits: JSON.stringify([pair]) }],
    ["one edit instead of the list", { edits: pair }],
    ["one edit as a string of JSON", { edits: JSON.stringify(pair) }],
    ["old and new text at the top", pair],
    ["both, the same", { ...pair, edits: [pair] }],
    ["both, different", { oldText: "c", newText: "c", edits: [pair] }],
    ["extra keys", { ...pair, edits: [{ ...pair, reason: "x" }], explanation: "y" }],
  ])("%s", async (_name, args) => {
    expect(await callEdit(args)).toEqual({ text: expect.stringMatching(/^Edited a\.txt: [12] replacements?,/), file: "b c" });
  });

  test.each([
    ["nothing to do", {}, "Give oldText together with newText, or edits as a list of {oldText, newText}."],
    ["half a pair", { oldText: "a" }, "Give oldText together with newText"],
    ["an empty list", { edits: [] }, "Give oldText together with newText"],
    ["a string that is no JSON", { edits: "a -> b" }, "Invalid arguments for edit. /edits: "],
    ["JSON of another shape", { edits: '{"old":"a"}' }, "Invalid arguments for edit. /edits: "],
  ])("%s is an error that says what is expected", async (_name, args, expected) => {
    expect(await callEdit(args)).toEqual({ text: expect.stringContaining(expected), file: "a c" });
  });
});

describe("TL-028 what a file is stays", () => {
  test("its mode", async () => {
    const path = join(folder.path, "run.sh");
    await writeFile(path, "echo a\n");
    await chmod(path, 0o751);
    await edit({ path: "run.sh", oldText: "a", newText: "b" });
    expect((await stat(path)).mode & 0o7777).toBe(0o751);
  });

  test("a link, whose target is changed", async () => {
    await mkdir(join(folder.path, "real"));
    await writeFile(join(folder.path, "real", "a.txt"), "a\n");
    await symlink(join("real", "a.txt"), join(folder.path, "link"));
    expect((await edit({ path: "link", oldText: "a", newText: "b" })).details.path).toBe(join(folder.path, "real", "a.txt"));
    expect(await readdir(folder.path)).toEqual(["link", "real"]);
    expect(await readdir(join(folder.path, "real"))).toEqual(["a.txt"]);
    expect(await readFile(join(folder.path, "link"), "utf8")).toBe("b\n");
  });

  test.skipIf(process.getuid?.() === 0)("read-only, which is an error that names the code", async () => {
    await writeFile(join(folder.path, "a.txt"), "a\n", { mode: 0o444 });
    const run = edit({ path: "a.txt", oldText: "a", newText: "b" });
    await expect(run).rejects.toMatchObject({ code: "permission_denied", message: expect.stringContaining("EACCES") });
  });
});

test("missing files, directories and missing folders are clear errors", async () => {
  await mkdir(join(folder.path, "dir"));
  const pair = { oldText: "a", newText: "b" };
  await expect(edit({ path: "no.txt", ...pair })).rejects.toMatchObject({
    code: "not_found",
    message: expect.stringContaining("ENOENT"),
  });
  await expect(edit({ path: "dir", ...pair })).rejects.toMatchObject({ code: "is_directory" });
  const inGoneFolder = runTool(createEditTool(join(folder.path, "gone")), { path: "a", ...pair });
  await expect(inGoneFolder).rejects.toMatchObject({ code: "cwd_missing" });
});

test("TL-019 an edit finds a look-alike name", async () => {
  await writeFile(join(folder.path, "it\u2019s.txt"), "a");
  expect(textOf(await edit({ path: "it's.txt", oldText: "a", newText: "b" }))).toContain("1 replacement");
  expect(await readdir(folder.path)).toEqual(["it\u2019s.txt"]);
});
