import { chmod, mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { watchEventLoop } from "@pikit/test-kit";
import { afterEach, describe, expect, test, vi } from "vitest";
import { localFiles } from "../../../src/tools/files/local-files.ts";
import { createGrepTool } from "../../../src/tools/grep/definition.ts";
import type { GrepParameters } from "../../../src/tools/grep/parameters.ts";
import { findRipgrep } from "../../../src/tools/grep/ripgrep-process.ts";
import type { GrepToolOptions } from "../../../src/tools/grep/run.ts";
import { useTempFolder } from "../../exec/temp-folder.ts";
import { expectProcessGone, readPid } from "../../helpers/processes.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { runTool, textOf } from "../run-tool.ts";
import { makeTree, type Tree } from "../search/tree.ts";

const folder = useTempFolder();
afterEach(() => {
  vi.unstubAllEnvs();
});

/** Everything holds for the search with ripgrep, without it, and in another file system. */
const ways: [name: string, options: GrepToolOptions][] = [
  ["ripgrep", {}],
  ["no ripgrep", { findRipgrep: async () => undefined }],
  ["other files", { files: { ...localFiles } }],
];

describe.each(ways)("with %s", (_, options) => {
  function grep(params: GrepParameters, signal?: AbortSignal) {
    return runTool(createGrepTool(folder.path, options), params, signal && { signal });
  }

  /** The paths in which `hit` is found. */
  async function hits(params: Omit<GrepParameters, "pattern"> = {}) {
    return (await grep({ pattern: "hit", ...params })).details.files.map(({ path }) => path);
  }

  function tree(content: Tree) {
    return makeTree(folder.path, content);
  }

  test("TL-035 matches with path and line, and what is told to user interfaces", async () => {
    await tree({ "b.txt": "no\nhit one\n", "a/c.txt": "hit\nno\nhit two" });
    expect(await grep({ pattern: "hit" })).toEqual({
      content: [{ type: "text", text: "a/c.txt:1: hit\na/c.txt:3: hit two\nb.txt:2: hit one" }],
      details: {
        path: folder.path,
        files: [
          { path: "a/c.txt", lines: [1, 3] },
          { path: "b.txt", lines: [2] },
        ],
        matches: 3,
        totalMatches: 3,
        truncated: false,
        truncatedBy: null,
        cutLines: 0,
        unreadable: 0,
        outputLines: 3,
        outputBytes: 50,
      },
    });
  });

  test("TL-035 no match is a normal result", async () => {
    await tree({ "a.txt": "x\n" });
    expect(await grep({ pattern: "hit" })).toMatchObject({
      content: [{ text: "No matches found." }],
      details: { totalMatches: 0 },
    });
  });

  test("TL-035 a regular expression, plain text, ignore-case", async () => {
    await tree({ a: "a.b(c)\naXb(c)\nA.B(C)\n" });
    const lines = async (params: GrepParameters) => (await grep(params)).details.files.flatMap((file) => file.lines);
    expect(await lines({ pattern: "a.b\\(c" })).toEqual([1, 2]);
    expect(await lines({ pattern: "a.b(c)", literal: true })).toEqual([1]);
    expect(await lines({ pattern: "a.b(c)", literal: true, ignoreCase: true })).toEqual([1, 3]);
    expect(await lines({ pattern: "^A.b", ignoreCase: true })).toEqual([1, 2, 3]);
  });

  test("TL-035 context lines, with -- where lines are left out", async () => {
    await tree({ "a.txt": "1\n2\nhit\n4\n5\n6\n7\nhit\nhit\n10\n", "b.txt": "hit\n" });
    expect(textOf(await grep({ pattern: "hit", context: 1 }))).toBe(
      [
        ...["a.txt-2- 2", "a.txt:3: hit", "a.txt-4- 4", "--"],
        ...["a.txt-7- 7", "a.txt:8: hit", "a.txt:9: hit", "a.txt-10- 10", "--"],
        "b.txt:1: hit",
      ].join("\n"),
    );
  });

  test("TL-035 a search in one file shows its name, and .gitignore does not matter", async () => {
    await tree({ "src/a.log": "no\nhit\n", ".gitignore": "*.log\n", "link.txt": "-> src/a.log" });
    expect(textOf(await grep({ pattern: "hit", path: "src/a.log", glob: "*.ts" }))).toBe("src/a.log:2: hit");
    expect(textOf(await grep({ pattern: "hit", path: "link.txt" }))).toBe("link.txt:2: hit");
  });

  test.each([
    [
      "foo(",
      /^"foo\(" is not a valid regular expression: (unclosed group|missing closing \): `foo\(`)\. Correct it, or set literal to true/,
    ],
    ["(?=x)", /not a valid regular expression: look-around, .* is not supported\. Correct it/],
    ["(a)\\1", /backreferences are not supported\./],
    ["{", /repetition/],
    ["a\nb", /^The pattern "a\\nb" has a line break\. Lines are searched one by one\./],
    ["a\\nb", /has a line break/],
    ["a\0", /NUL/],
  ])("TL-035 the pattern %j is refused with the reason", async (pattern, message) => {
    await tree({ a: "x\n" });
    await expect(grep({ pattern })).rejects.toMatchObject({ code: "invalid_pattern", message: expect.stringMatching(message) });
  });

  test("TL-033 .gitignore holds, nested ones too, outside of repositories as well; dotfiles are searched", async () => {
    await tree({
      ".gitignore": "*.log\n/dist/\nsecret\n",
      "a.log": "hit\n",
      "dist/a.txt": "hit\n",
      "sub/dist/a.txt": "hit\n",
      "sub/.gitignore": "!keep.log\ntmp\n",
      "sub/keep.log": "hit\n",
      "sub/tmp/a.txt": "hit\n",
      "sub/secret/a.txt": "hit\n",
      ".env": "hit\n",
      ".config/a": "hit\n",
    });
    const expected = [".config/a", ".env", "sub/dist/a.txt", "sub/keep.log"];
    expect(await hits()).toEqual(expected);
    await tree({ ".git/HEAD": "hit\n" });
    expect(await hits()).toEqual(expected);
  });

  test("TL-033 rules of a repository stop at a nested one, also when the search begins outside of both", async () => {
    await tree({
      "outer/.git/HEAD": "hit\n",
      "outer/.gitignore": "*.log\n",
      "outer/a.log": "hit\n",
      "outer/inner/.git": "gitdir: elsewhere hit\n",
      "outer/inner/a.log": "hit\n",
      "outer/inner/deep/a.log": "hit\n",
      "plain/.gitignore": "*.tmp\n",
      "plain/a.tmp": "hit\n",
      "plain/a.txt": "hit\n",
      "plain/repo/.git/HEAD": "hit\n",
      "plain/repo/b.tmp": "hit\n",
      "z.txt": "hit\n",
    });
    const inner = ["outer/inner/a.log", "outer/inner/deep/a.log"];
    expect(await hits({ path: "outer" })).toEqual(inner);
    expect(await hits()).toEqual([...inner, "plain/a.txt", "plain/repo/b.tmp", "z.txt"]);
    expect(await hits({ limit: 2 })).toEqual(inner);
  });

  test("TL-033 rules of folders above hold; a folder that is asked for is searched though they exclude it", async () => {
    await tree({
      ".git/HEAD": "",
      ".gitignore": "dist/\n*.log\n",
      "dist/a.txt": "hit\n",
      "dist/a.log": "hit\n",
      "src/a.log": "hit\n",
    });
    expect(await hits({ path: "dist" })).toEqual(["dist/a.txt"]);
    expect(await hits({ path: "src" })).toEqual([]);
  });

  test("TL-033 a glob does not bring back what .gitignore excludes", async () => {
    await tree({
      ".gitignore": "*.log\nnode_modules\n",
      "a.log": "hit\n",
      "node_modules/x/a.ts": "hit\n",
      "a.ts": "hit\n",
      ".git/a.ts": "hit\n",
    });
    expect(await hits({ glob: "*.log" })).toEqual([]);
    expect(await hits({ glob: "**" })).toEqual(["a.ts"]);
    expect(await hits({ glob: "*.ts" })).toEqual(["a.ts"]);
  });

  test("globs of names, of paths, of several kinds, and negated", async () => {
    await tree({ "a.ts": "hit", "src/b.ts": "hit", "src/deep/c.js": "hit", "src/d.md": "hit", "test/src/e.ts": "hit" });
    expect(await hits({ glob: "*.ts" })).toEqual(["a.ts", "src/b.ts", "test/src/e.ts"]);
    expect(await hits({ glob: "src/**/*.{ts,js}" })).toEqual(["src/b.ts", "src/deep/c.js"]);
    expect(await hits({ glob: "src/" })).toEqual(["src/b.ts", "src/d.md", "src/deep/c.js"]);
    expect(await hits({ glob: "!*.ts" })).toEqual(["src/d.md", "src/deep/c.js"]);
    expect(await hits({ path: "src", glob: "deep/*" })).toEqual(["src/deep/c.js"]);
    await expect(grep({ pattern: "hit", glob: "{a" })).rejects.toMatchObject({ code: "invalid_pattern" });
  });

  test("TL-034 patterns, globs and paths that begin with - are data", async () => {
    await tree({ "--files": "-e hit\n", "-v/--pre=x": "--help\n", "a.txt": "-e hit\n" });
    expect(textOf(await grep({ pattern: "-e hit" }))).toBe("--files:1: -e hit\na.txt:1: -e hit");
    expect(textOf(await grep({ pattern: "--help" }))).toBe("-v/--pre=x:1: --help");
    expect(textOf(await grep({ pattern: "--help", path: "-v" }))).toBe("-v/--pre=x:1: --help");
    expect(textOf(await grep({ pattern: "hit", path: "--files" }))).toBe("--files:1: -e hit");
    expect(textOf(await grep({ pattern: "hit", glob: "--f*" }))).toBe("--files:1: -e hit");
    expect(textOf(await grep({ pattern: "-e", literal: true, path: "./a.txt" }))).toBe("a.txt:1: -e hit");
  });

  test("TL-036 TL-043 at most 100 matches in all files together, with a note and in details", async () => {
    await tree(Object.fromEntries(["a", "b", "c"].map((name) => [name, "hit\n".repeat(60)])));
    const result = await grep({ pattern: "hit" });
    expect(textOf(result)).toMatch(
      /\nb:40: hit\n\n\[Stopped at the limit of 100 matches\. Narrow the search, or use limit=200\.\]$/,
    );
    expect(result.details).toMatchObject({ matches: 100, totalMatches: null, truncated: true, truncatedBy: "matches" });
    expect(JSON.parse(JSON.stringify(result.details))).toEqual(result.details);
    expect((await grep({ pattern: "hit", limit: 200 })).details).toMatchObject({ totalMatches: 180, truncated: false });
    expect((await grep({ pattern: "hit", limit: 180 })).details).toMatchObject({ totalMatches: 180, truncated: false });
  });

  test("TL-036 a limit inside the context of the next match", async () => {
    await tree({ a: "hit\n1\n2\n3\nhit\n5\n", b: "0\nhit\n" });
    expect(textOf(await grep({ pattern: "hit", context: 2, limit: 1 }))).toMatch(
      /^a:1: hit\na-2- 1\na-3- 2\n\n\[Stopped at the limit of 1 match\./,
    );
    expect(textOf(await grep({ pattern: "hit", context: 1, limit: 2 }))).toMatch(/\na-4- 3\na:5: hit\na-6- 5\n\n\[Stopped/);
  });

  test("TL-036 lines are cut at 500 characters and output at 50 KB, whole lines, with notes", async () => {
    await tree({ "long.txt": `${"é".repeat(20_000)} hit\n`, "more.txt": `${"x".repeat(490)} hit\n`.repeat(400) });
    const cut = await grep({ pattern: "hit", path: "long.txt" });
    expect(textOf(cut)).toBe(`long.txt:1: ${"é".repeat(500)} …\n\n[Lines that end with … are cut at 500 characters.]`);
    expect(cut.details.cutLines).toBe(1);
    const result = await grep({ pattern: "hit", limit: 1000 });
    expect(textOf(result)).toMatch(
      /\nmore\.txt:\d+: x{490} hit\n\n\[Stopped at the 50\.0 KB limit after \d+ matches\. Narrow the search\. Lines that/,
    );
    expect(result.details).toMatchObject({ truncated: true, truncatedBy: "bytes", totalMatches: null });
    expect(result.details.outputBytes).toBeLessThanOrEqual(50 * 1024);
    expect(result.details.outputBytes).toBeGreaterThan(49 * 1024);
  });

  test("TL-036 binary files are skipped, also when they look like text at first", async () => {
    await tree({
      "a.bin": Buffer.from("hit\0hit\n"),
      "late.bin": Buffer.from(`hit\n${"text\n".repeat(40_000)}\0`),
      "text.txt": "hit\n",
    });
    expect(await hits()).toEqual(["text.txt"]);
    expect(textOf(await grep({ pattern: "hit", path: "late.bin" }))).toBe("No matches found.");
    expect(textOf(await grep({ pattern: "hit", path: "a.bin" }))).toMatch(
      /^No matches found: a\.bin is a binary file \(8 B\), which is not/,
    );
  });

  test("TL-036 what cannot be read does not discard the matches found", async () => {
    await tree({ "a.txt": "hit\n", "locked/b.txt": "hit\n", "secret.txt": "hit\n", "z.txt": "hit\n" });
    await chmod(folder.path, 0o755);
    await chmod(join(folder.path, "locked"), 0);
    await chmod(join(folder.path, "secret.txt"), 0);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      const result = await grep({ pattern: "hit" });
      expect(textOf(result)).toBe("a.txt:1: hit\nz.txt:1: hit\n\n[2 files or folders could not be read.]");
      expect(result.details.unreadable).toBe(2);
      await expect(grep({ pattern: "hit", path: "locked" })).rejects.toMatchObject({ code: "permission_denied" });
    } finally {
      if (isRoot) process.seteuid?.(0);
      await chmod(join(folder.path, "locked"), 0o755);
    }
  });

  test("TL-037 lines of CRLF files come without CR, and $ matches at their end", async () => {
    await tree({ "crlf.txt": "hit\r\nno\r\nhit me\r\n" });
    expect(textOf(await grep({ pattern: "hit$", context: 1 }))).toBe("crlf.txt:1: hit\ncrlf.txt-2- no");
  });

  test("UTF-16 with a byte order mark is text; other bytes are shown as U+FFFD", async () => {
    await tree({
      "16.txt": Buffer.from("\ufeffein Größe\r\n", "utf16le"),
      "latin1.txt": Buffer.from("Gr\xf6\xdfe hit\n", "latin1"),
      "bom.txt": "\ufeffhit\n",
    });
    expect(textOf(await grep({ pattern: "Größe" }))).toBe("16.txt:1: ein Größe");
    expect(textOf(await grep({ pattern: "hit$" }))).toBe("bom.txt:1: hit\nlatin1.txt:1: Gr\ufffd\ufffde hit");
    expect(textOf(await grep({ pattern: "^hit" }))).toBe("bom.txt:1: hit");
  });

  test("TL-039 links are not followed, so loops do not matter", async () => {
    await tree({ "a/hit.txt": "hit\n", "a/loop": "-> ..", self: "-> self", broken: "-> nowhere", "copy.txt": "-> a/hit.txt" });
    expect(await hits()).toEqual(["a/hit.txt"]);
  });

  test("TL-042 the order is that of the walk, names by their bytes, every time", async () => {
    await tree({
      "b/x": "hit",
      "a-b/x": "hit",
      "a/x": "hit",
      "a.txt": "hit",
      "B/x": "hit",
      "é/x": "hit",
      "\uff5e": "hit",
      "😀": "hit",
    });
    const expected = ["B/x", "a/x", "a-b/x", "a.txt", "b/x", "é/x", "\uff5e", "😀"];
    for (let round = 0; round < 3; round++) expect(await hits()).toEqual(expected);
  });

  test("paths are relative to the working folder, absolute outside of it", async () => {
    await tree({ "work/src/a.txt": "hit\n", "other/b.txt": "hit\n", "work/..c/d": "hit\n" });
    const tool = createGrepTool(join(folder.path, "work"), options);
    const found = async (path: string) => textOf(await runTool(tool, { pattern: "hit", path }));
    expect(await found("src")).toBe("src/a.txt:1: hit");
    expect(await found(join(folder.path, "work/src/a.txt"))).toBe("src/a.txt:1: hit");
    expect(await found("..c")).toBe("..c/d:1: hit");
    expect(await found("../other")).toBe(`${folder.path}/other/b.txt:1: hit`);
    expect(await found("src/../../other/b.txt")).toBe(`${folder.path}/other/b.txt:1: hit`);
  });

  test("TL-020 paths are resolved against the session's folder; a missing one is an error with suggestions", async () => {
    await tree({ "one/a.txt": "hit 1\n", "two/a.txt": "hit 2\n" });
    const [one, two] = ["one", "two"].map((name) => createGrepTool(join(folder.path, name), options));
    if (!one || !two) throw new Error("no tools");
    const texts = await Promise.all([one, two].map((tool) => runTool(tool, { pattern: "hit", path: "a.txt" })));
    expect(texts.map(textOf)).toEqual(["a.txt:1: hit 1", "a.txt:1: hit 2"]);
    await expect(runTool(one, { pattern: "hit", path: "a.tx" })).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringMatching(/^Cannot search a\.tx \(.*\): there is no such file \(ENOENT\)\. .*Did you mean a\.txt\?$/),
    });
  });

  test("TL-044 a working folder that is gone", async () => {
    await rm(folder.path, { recursive: true });
    await expect(grep({ pattern: "hit" })).rejects.toMatchObject({ code: "cwd_missing" });
    await mkdir(folder.path);
  });

  test("an abort before the start starts nothing", async () => {
    await tree({ a: "hit" });
    await expect(grep({ pattern: "hit" }, AbortSignal.abort(new Error("stop")))).rejects.toThrow("stop");
  });

  test("TL-045 SC-014 a hostile pattern on a hostile file neither hangs nor blocks the event loop", async () => {
    await tree({ "a.txt": `${"a".repeat(1_000_000)}\n${"a".repeat(300)}\n`.repeat(3) });
    const watch = watchEventLoop();
    const result = await grep({ pattern: "(a+)+$b|(a|aa)+c" });
    expect(result.details.totalMatches).toBe(0);
    expect(watch.stop().longestCpuMs).toBeLessThan(500);
  });
});

describe("ripgrep", () => {
  test("TL-034 its configuration in the environment is not read", async () => {
    await makeTree(folder.path, { "a.txt": "hit\n", ".gitignore": "b.txt\n", "b.txt": "hit\n", rc: "--no-ignore\n--count\n" });
    vi.stubEnv("RIPGREP_CONFIG_PATH", join(folder.path, "rc"));
    expect(textOf(await runTool(createGrepTool(folder.path), { pattern: "hit" }))).toBe("a.txt:1: hit");
  });

  test("SC-013 it is the installed one, not one of the working folder or the search path", async () => {
    const evil = `#!/bin/sh\ntouch ${folder.path}/owned\n`;
    const names = ["rg", "node_modules/.bin/rg", `node_modules/@vscode/ripgrep-${process.platform}-${process.arch}/bin/rg`];
    await makeTree(folder.path, { "a.txt": "hit\n", ...Object.fromEntries(names.map((name) => [name, evil])) });
    for (const name of names) await chmod(join(folder.path, name), 0o755);
    vi.stubEnv("PATH", `.:${folder.path}:${process.env.PATH}`);
    expect(textOf(await runTool(createGrepTool(folder.path), { pattern: "hit$" }))).toBe("a.txt:1: hit");
    await expect(readFile(join(folder.path, "owned"))).rejects.toThrow("ENOENT");
    expect(await findRipgrep()).toMatch(/^\/.*ripgrep.*\/bin\/rg$/);
  });

  test.each([
    ["is not there", undefined],
    ["is no program", "not a program"],
  ])("TL-041 when it %s the search goes on without it", async (_, content) => {
    await makeTree(folder.path, { "a.txt": "hit\n", ...(content !== undefined && { "bin/rg": content }) });
    const findProgram = async () => join(folder.path, "bin/rg");
    const tool = createGrepTool(folder.path, { findRipgrep: findProgram });
    expect(textOf(await runTool(tool, { pattern: "hit" }))).toBe("a.txt:1: hit");
  });

  test("one that dies is an error that says so", async () => {
    await makeTree(folder.path, { "a.txt": "hit\n", "bin/rg": "#!/bin/sh\nkill -SEGV $$\n" });
    await chmod(join(folder.path, "bin/rg"), 0o755);
    const tool = createGrepTool(folder.path, { findRipgrep: async () => join(folder.path, "bin/rg") });
    await expect(runTool(tool, { pattern: "hit" })).rejects.toMatchObject({
      code: "search_failed",
      message: "The search was ended by signal SIGSEGV. Try again, or search a smaller folder.",
    });
  });

  /** One that prints a match, tells its pid and never ends. */
  async function endless(): Promise<{ tool: ReturnType<typeof createGrepTool>; pidFile: string }> {
    const [program, pidFile] = [join(folder.path, "bin/rg"), join(folder.path, "pid")];
    await makeTree(folder.path, {
      ".git/HEAD": "",
      "bin/rg": `#!/bin/sh\nprintf './a\\0001:hit\\n./a\\0002:hit\\n'\necho $$ > ${pidFile}\nexec sleep 300\n`,
    });
    await chmod(program, 0o755);
    return { tool: createGrepTool(folder.path, { findRipgrep: async () => program }), pidFile };
  }

  test("TL-039 an abort kills it, and the result does not wait for its end", async () => {
    const { tool, pidFile } = await endless();
    const controller = new AbortController();
    const search = runTool(tool, { pattern: "hit" }, { signal: controller.signal });
    const pid = await readPid(pidFile);
    controller.abort(new Error("stop"));
    await expect(search).rejects.toThrow("stop");
    await expectProcessGone(pid);
  });

  test("TL-036 the limit kills it", async () => {
    const { tool } = await endless();
    expect(textOf(await runTool(tool, { pattern: "hit", limit: 1 }))).toMatch(/^a:1: hit\n\n\[Stopped at the limit of 1 match\./);
  });

  test("no listeners are left on the signal", async () => {
    await makeTree(folder.path, { a: "hit\n", ".git/HEAD": "" });
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, "addEventListener");
    const remove = vi.spyOn(signal, "removeEventListener");
    await runTool(createGrepTool(folder.path), { pattern: "hit" }, { signal });
    expect(add).toHaveBeenCalledTimes(1);
    expect(remove).toHaveBeenCalledTimes(1);
  });
});

test("a tree in memory is searched like one on disk", async () => {
  const content = {
    "/w/.git/HEAD": "hit",
    "/w/.gitignore": "*.log\n",
    "/w/a.log": "hit\n",
    "/w/src/a.ts": "no\nhit\n",
    "/w/b.md": "hit\n",
  };
  const files = createMemoryFiles(content);
  const tool = createGrepTool("/w", { files, findRipgrep: () => Promise.reject(new Error("must not be asked")) });
  expect(textOf(await runTool(tool, { pattern: "hit", glob: "*.ts", context: 1 }))).toBe("src/a.ts-1- no\nsrc/a.ts:2: hit");
  expect(files.reads).toEqual(["/w/.gitignore", "/w/src/a.ts"]);
  await expect(runTool(tool, { pattern: "hit", path: "/elsewhere" })).rejects.toMatchObject({ code: "not_found" });
});

test("TL-039 TL-045 an abort stops the search of an endless file at once, and the event loop is free meanwhile", async () => {
  const files = createMemoryFiles({ "/w/endless": "" });
  let reads = 0;
  const read = async (buffer: Uint8Array) => {
    reads += 1;
    return buffer.fill(120).length;
  };
  const endless = { read, close: async () => undefined };
  const open = (path: string) => (path === "/w/endless" ? Promise.resolve(endless) : files.open(path));
  const controller = new AbortController();
  const tool = createGrepTool("/w", { files: { ...files, open } });
  const search = runTool(tool, { pattern: "(x|y)*z" }, { signal: controller.signal });
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  const readsBefore = reads;
  controller.abort(new Error("stop"));
  await expect(search).rejects.toThrow("stop");
  expect(readsBefore).toBeGreaterThan(0);
  expect(reads - readsBefore).toBeLessThanOrEqual(1);
});

test("the schema says ranges and defaults", () => {
  const { parameters, executionMode, name } = createGrepTool("/w");
  expect([name, executionMode, Object.keys(parameters.properties)]).toEqual([
    "grep",
    "parallel",
    ["pattern", "path", "glob", "ignoreCase", "literal", "context", "limit"],
  ]);
  expect(parameters.required).toEqual(["pattern"]);
  expect(parameters.properties.limit).toMatchObject({
    type: "integer",
    minimum: 1,
    description: expect.stringContaining("default 100"),
  });
});
