import { chmod, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { watchEventLoop } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { localFiles } from "../../../src/tools/files/local-files.ts";
import { createFindTool } from "../../../src/tools/find/definition.ts";
import type { FindParameters } from "../../../src/tools/find/parameters.ts";
import { useTempFolder } from "../../exec/temp-folder.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { runTool, textOf } from "../run-tool.ts";
import { makeTree } from "../search/tree.ts";

const folder = useTempFolder();

function find(params: FindParameters, signal?: AbortSignal) {
  return runTool(createFindTool(folder.path), params, signal && { signal });
}

async function found(pattern: string, path?: string): Promise<string[]> {
  return textOf(await find({ pattern, ...(path !== undefined && { path }) })).split("\n");
}

describe("what is found", () => {
  test("TL-038 plain globs match names anywhere, files, folders and links; folders have a final /", async () => {
    await makeTree(folder.path, {
      "a.ts": "",
      "src/b.ts": "",
      "src/c.js": "",
      "lib.ts/": "",
      "deep/er/.d.ts": "",
      "link.ts": "-> nowhere",
      "loop/up.ts": "-> ..",
    });
    expect(await find({ pattern: "*.ts" })).toEqual({
      content: [{ type: "text", text: "a.ts\ndeep/er/.d.ts\nlib.ts/\nlink.ts\nloop/up.ts\nsrc/b.ts" }],
      details: {
        path: folder.path,
        outputEntries: 6,
        totalEntries: 6,
        truncated: false,
        truncatedBy: null,
        unreadable: 0,
        outputBytes: 54,
      },
    });
    expect(await found("src")).toEqual(["src/"]);
    expect(await found("*/")).toEqual(["deep/", "deep/er/", "lib.ts/", "loop/", "src/"]);
  });

  test("TL-038 globs with / match paths relative to the folder that is searched", async () => {
    await makeTree(folder.path, { "src/a.spec.ts": "", "src/deep/er/b.spec.ts": "", "test/src/c.spec.ts": "", "d.spec.ts": "" });
    expect(await found("src/**/*.spec.ts")).toEqual(["src/a.spec.ts", "src/deep/er/b.spec.ts"]);
    expect(await found("**/src/*.spec.ts")).toEqual(["src/a.spec.ts", "test/src/c.spec.ts"]);
    expect(await found("deep/**", "src")).toEqual(["src/deep/er/", "src/deep/er/b.spec.ts"]);
    expect(await found("/*.ts")).toEqual(["d.spec.ts"]);
  });

  test("TL-033 what .gitignore files exclude and .git are left out", async () => {
    await makeTree(folder.path, {
      ".git/x.ts": "",
      ".gitignore": "*.log\nnode_modules/\n!sub/keep.log\n",
      "a.log": "",
      "node_modules/x.ts": "",
      "sub/.gitignore": "!b.log\n/only-here\n",
      "sub/keep.log": "",
      "sub/b.log": "",
      "sub/only-here/x.ts": "",
      "only-here/x.ts": "",
      "inner/.git": "gitdir: ../.git/modules/inner\n",
      "inner/c.log": "",
      "inner/node_modules/d.ts": "",
      ".config/x.ts": "",
    });
    expect(await found("*.log")).toEqual(["inner/c.log", "sub/b.log", "sub/keep.log"]);
    expect(await found("*.ts")).toEqual([".config/x.ts", "inner/node_modules/d.ts", "only-here/x.ts"]);
    expect(await found(".git*")).toEqual([".gitignore", "sub/.gitignore"]);
    expect(await found("**/.git/**")).toEqual(["No files found matching **/.git/**."]);
    expect(await found("*", "node_modules")).toEqual(["node_modules/x.ts"]);
  });

  test("TL-034 globs and paths that begin with - are data", async () => {
    await makeTree(folder.path, { "-name": "", "--help/-x": "" });
    expect(await found("-*")).toEqual(["--help/", "--help/-x", "-name"]);
    expect(await found("-x", "--help")).toEqual(["--help/-x"]);
  });

  test("TL-042 the order is that of the walk, names by their bytes", async () => {
    await makeTree(folder.path, { "b/x": "", "a-b/x": "", "a/x": "", "a.x": "", "B/x": "", "\uff5e": "", "😀": "" });
    for (let round = 0; round < 3; round++) {
      expect(await found("*")).toEqual(["B/", "B/x", "a/", "a/x", "a-b/", "a-b/x", "a.x", "b/", "b/x", "\uff5e", "😀"]);
    }
  });

  test("nothing found is a normal result", async () => {
    expect(await find({ pattern: "*.rs" })).toMatchObject({
      content: [{ text: "No files found matching *.rs." }],
      details: { totalEntries: 0 },
    });
  });
});

describe("limits", () => {
  test("TL-038 TL-043 at most 1000 paths, with a note and in details", async () => {
    await makeTree(folder.path, Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`${i}.txt`, ""])));
    const result = await find({ pattern: "*" });
    expect(textOf(result)).toMatch(/\n\n\[Showing 1000 entries, the limit\. Narrow the search, or use limit=2000\.\]$/);
    expect(result.details).toMatchObject({ outputEntries: 1000, totalEntries: null, truncated: true, truncatedBy: "entries" });
    expect(JSON.parse(JSON.stringify(result.details))).toEqual(result.details);
    expect((await find({ pattern: "*", limit: 1001 })).details).toMatchObject({ totalEntries: 1001, truncated: false });
    expect(textOf(await find({ pattern: "*", limit: 1 }))).toBe(
      "0.txt\n\n[Showing 1 entry, the limit. Narrow the search, or use limit=2.]",
    );
  });

  test("at most 50 KB", async () => {
    const long = "x".repeat(200);
    await makeTree(folder.path, Object.fromEntries(Array.from({ length: 600 }, (_, i) => [`${long}/${i}`, ""])));
    const result = await find({ pattern: "*" });
    expect(textOf(result)).toMatch(/\n\n\[Showing \d+ of 601 entries \(50\.0 KB limit\)\. Narrow the search\.\]$/);
    expect(result.details).toMatchObject({ truncatedBy: "bytes", totalEntries: 601 });
    expect(result.details.outputBytes).toBeLessThanOrEqual(50 * 1024);
  });
});

describe("errors", () => {
  test("TL-020 a file as path, a missing path, a glob that is not valid", async () => {
    await makeTree(folder.path, { "src/a.ts": "" });
    await expect(find({ pattern: "*", path: "src/a.ts" })).rejects.toMatchObject({ code: "not_directory" });
    await expect(find({ pattern: "*", path: "srcs" })).rejects.toMatchObject({
      code: "not_found",
      message: expect.stringContaining("Did you mean src?"),
    });
    await expect(find({ pattern: "{a" })).rejects.toMatchObject({ code: "invalid_pattern" });
  });

  test("TL-044 a working folder that is gone", async () => {
    await rm(folder.path, { recursive: true });
    await expect(find({ pattern: "*" })).rejects.toMatchObject({ code: "cwd_missing" });
    await mkdir(folder.path);
  });

  test("a folder that cannot be read does not end the search", async () => {
    await makeTree(folder.path, { "a/x": "", "locked/x": "", "z/x": "" });
    await chmod(folder.path, 0o755);
    await chmod(join(folder.path, "locked"), 0);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.(65_534);
    try {
      expect(textOf(await find({ pattern: "x" }))).toBe("a/x\nz/x\n\n[1 folder could not be read.]");
    } finally {
      if (isRoot) process.seteuid?.(0);
      await chmod(join(folder.path, "locked"), 0o755);
    }
  });
});

describe("a tree in memory", () => {
  test("is searched like one on disk", async () => {
    const files = createMemoryFiles({ "/w/.gitignore": "*.log\n", "/w/a.log": "", "/w/src/b.ts": "", "/w/empty/": "" });
    const tool = createFindTool("/w", { files });
    expect(textOf(await runTool(tool, { pattern: "*" }))).toBe(".gitignore\nempty/\nsrc/\nsrc/b.ts");
  });

  test("TL-039 TL-045 a huge one neither blocks the event loop nor delays an abort", async () => {
    const tree = Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`/w/f${i % 600}/g${i % 60}/${i}.ts`, ""]));
    const tool = createFindTool("/w", { files: createMemoryFiles({ "/w/.gitignore": "*.log\n", ...tree }) });
    const whole = watchEventLoop();
    expect(textOf(await runTool(tool, { pattern: "*.js" }))).toMatch(/^No files/);
    const { turns, longestCpuMs } = whole.stop();
    // How many there are depends on the speed of the machine: other work gets a turn after some milliseconds.
    expect(turns).toBeGreaterThan(4);
    expect(longestCpuMs).toBeLessThan(500);

    const controller = new AbortController();
    const search = runTool(tool, { pattern: "*.js" }, { signal: controller.signal });
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    const afterAbort = watchEventLoop();
    controller.abort(new Error("stop"));
    await expect(search).rejects.toThrow("stop");
    expect(afterAbort.stop().turns).toBeLessThan(5);
  });

  test("TL-039 an abort does not wait for a slow file system", async () => {
    const controller = new AbortController();
    const readdir = () => {
      setImmediate(() => controller.abort(new Error("stop")));
      return new Promise<never>(() => undefined);
    };
    await makeTree(folder.path, Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`${i}/x`, ""])));
    const tool = createFindTool(folder.path, { files: { ...localFiles, readdir } });
    await expect(runTool(tool, { pattern: "*" }, { signal: controller.signal })).rejects.toThrow("stop");
  });
});
