import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLsTool } from "../../../src/tools/ls/definition.ts";
import type { LsParameters } from "../../../src/tools/ls/parameters.ts";
import { useTempFolder } from "../../exec/temp-folder.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { runTool, textOf } from "../run-tool.ts";
import { makeTree } from "../search/tree.ts";

const folder = useTempFolder();

function ls(params: LsParameters = {}, signal?: AbortSignal) {
  return runTool(createLsTool(folder.path), params, signal && { signal });
}

test("TL-040 sorted without regard to case, dotfiles included, / after folders", async () => {
  await makeTree(folder.path, { b: "", A: "", a: "", "C/": "", ".env": "", ".git/HEAD": "", é: "" });
  expect(await ls()).toEqual({
    content: [{ type: "text", text: ".env\n.git/\nA\na\nb\nC/\né" }],
    details: {
      path: folder.path,
      outputEntries: 7,
      totalEntries: 7,
      truncated: false,
      truncatedBy: null,
      unreadable: 0,
      outputBytes: 22,
    },
  });
});

test("TL-039 links: to folders with /, broken and circular ones are listed", async () => {
  await makeTree(folder.path, {
    "dir/": "",
    "to-dir": "-> dir",
    "to-file": "-> file",
    file: "",
    broken: "-> nowhere",
    circle: "-> circle",
  });
  expect(textOf(await ls())).toBe("broken\ncircle\ndir/\nfile\nto-dir/\nto-file");
  expect(textOf(await ls({ path: "to-dir" }))).toBe("(empty directory)");
});

test('TL-040 an empty folder is "(empty directory)"', async () => {
  expect(await ls()).toMatchObject({ content: [{ text: "(empty directory)" }], details: { totalEntries: 0, truncated: false } });
});

test("TL-040 TL-043 at most 500 entries, with a note and in details", async () => {
  await makeTree(folder.path, Object.fromEntries(Array.from({ length: 501 }, (_, i) => [`${1000 + i}`, ""])));
  const result = await ls();
  expect(textOf(result)).toMatch(
    /^1000\n[\s\S]*\n1499\n\n\[Showing 500 of 501 entries, the limit\. Narrow the search, or use limit=1000\.\]$/,
  );
  expect(result.details).toMatchObject({ outputEntries: 500, totalEntries: 501, truncated: true, truncatedBy: "entries" });
  expect(JSON.parse(JSON.stringify(result.details))).toEqual(result.details);
  expect((await ls({ limit: 501 })).details).toMatchObject({ outputEntries: 501, truncated: false });
});

test("at most 50 KB", async () => {
  await makeTree(folder.path, Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`${"x".repeat(200)}${i}`, ""])));
  const result = await ls();
  expect(textOf(result)).toMatch(/\n\n\[Showing \d+ of 300 entries \(50\.0 KB limit\)\./);
  expect(result.details).toMatchObject({ truncatedBy: "bytes", totalEntries: 300 });
});

test("TL-040 TL-020 a file and a missing path are errors", async () => {
  await makeTree(folder.path, { "src/a.ts": "" });
  await expect(ls({ path: "src/a.ts" })).rejects.toMatchObject({
    code: "not_directory",
    message: "Cannot list src/a.ts: it is a file, not a folder. See what is in it with read.",
  });
  await expect(ls({ path: "src/b" })).rejects.toMatchObject({
    code: "not_found",
    message: expect.stringMatching(/^Cannot list src\/b \(.*\): there is no such file \(ENOENT\)\./),
  });
});

test("TL-020 paths are resolved against the session's folder; TL-034 also those that begin with -", async () => {
  await makeTree(folder.path, { "one/-l/a": "", "two/-l/b": "" });
  const list = async (name: string) => textOf(await runTool(createLsTool(join(folder.path, name)), { path: "-l" }));
  expect(await Promise.all([list("one"), list("two")])).toEqual(["a", "b"]);
});

test("TL-044 a working folder that is gone; an abort", async () => {
  await expect(ls({}, AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
  await rm(folder.path, { recursive: true });
  await expect(ls()).rejects.toMatchObject({ code: "cwd_missing" });
  await mkdir(folder.path);
});

test("a tree in memory", async () => {
  const files = createMemoryFiles({ "/w/b.ts": "", "/w/a/c": "" });
  expect(textOf(await runTool(createLsTool("/w", { files }), {}))).toBe("a/\nb.ts");
});
