import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { watchEventLoop } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { FileIndex, type IndexedFile } from "../../../../src/modes/terminal/input/file-index.ts";
import { rankFiles } from "../../../../src/modes/terminal/input/rank-files.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();
const { signal } = new AbortController();
const paths = (files: readonly IndexedFile[]) => files.map(({ path }) => path);

describe("the index", () => {
  test("it is kept for some seconds, and each folder has its own", async () => {
    await workspace.write("work/a.txt", "");
    await workspace.write("other/b.txt", "");
    const index = new FileIndex();
    const [one, same] = await Promise.all([index.files(workspace.cwd, signal), index.files(workspace.cwd, signal)]);
    expect(one).toBe(same);
    await workspace.write("work/new.txt", "");
    expect(await index.files(workspace.cwd, signal)).toBe(one);
    expect(paths(await index.files(join(workspace.root, "other"), signal))).toEqual(["b.txt"]);
    expect(paths(await index.files(workspace.cwd, signal))).toEqual(["a.txt", "new.txt"]);
  });

  test("the number of entries is limited", async () => {
    for (let folder = 0; folder < 5; folder += 1) {
      await mkdir(join(workspace.cwd, `d${folder}`));
      for (let file = 0; file < 5; file += 1) await writeFile(join(workspace.cwd, `d${folder}`, `f${file}`), "");
    }
    expect(paths(await new FileIndex({ maxEntries: 8 }).files(workspace.cwd, signal))).toEqual([
      ...["d0/", "d0/f0", "d0/f1", "d0/f2", "d0/f3", "d0/f4", "d1/", "d1/f0"],
    ]);
    expect(await new FileIndex({ maxMs: -1 }).files(workspace.cwd, signal)).toHaveLength(1);
  });

  test("an abort ends the waiting, and the walk is there for the next", async () => {
    await workspace.write("work/a.txt", "");
    const index = new FileIndex();
    await expect(index.files(workspace.cwd, AbortSignal.abort(new Error("next key")))).rejects.toThrow("next key");
    expect(paths(await index.files(workspace.cwd, signal))).toEqual(["a.txt"]);
  });

  test("a missing folder is an error, and is looked for again", async () => {
    const index = new FileIndex();
    await rm(workspace.cwd, { recursive: true });
    await expect(index.files(workspace.cwd, signal)).rejects.toThrow("ENOENT");
    await mkdir(workspace.cwd);
    expect(await index.files(workspace.cwd, signal)).toEqual([]);
  });
});

function indexed(path: string): IndexedFile {
  const nameStart = path.lastIndexOf("/", path.length - 2) + 1;
  return { path, lowerCase: path.toLowerCase(), nameStart, depth: path.slice(0, nameStart).split("/").length };
}

describe("the order of matches", () => {
  test.each<[query: string, wanted: string[]]>([
    ["index", ["index.ts", "src/index.ts", "index-files/readme.md", "src/my-index.ts", "i/n/d/ex"]],
    ["src/", ["src/", "src/index.ts", "src/my-index.ts"]],
    ["mdx", ["src/my-index.ts"]],
    ["zzz", []],
  ])("%s", async (query, wanted) => {
    const all = ["i/n/d/ex", "index-files/readme.md", "index.ts", "src/", "src/index.ts", "src/my-index.ts"].map(indexed);
    const found = paths(await rankFiles(all, query, { limit: 10, signal }));
    expect(found.filter((path) => wanted.includes(path))).toEqual(wanted);
    if (wanted.length === 0) expect(found).toEqual([]);
  });

  test("the best of many, without blocking keys", async () => {
    const all = Array.from({ length: 20_000 }, (_, index) => indexed(`packages/p${index % 50}/src/deep/folder/file-${index}.ts`));
    const loop = watchEventLoop();
    const found = await rankFiles([...all, indexed("target.ts")], "t", { limit: 5, signal });
    const { longestCpuMs } = loop.stop();
    expect(paths(found)[0]).toBe("target.ts");
    expect(found).toHaveLength(5);
    // A slice is 10 ms; the rest is room for garbage collection and compilation.
    expect(longestCpuMs).toBeLessThan(200);
  });

  test("an abort ends the ranking", async () => {
    const aborted = AbortSignal.abort(new Error("next key"));
    await expect(rankFiles([indexed("a")], "a", { limit: 5, signal: aborted })).rejects.toThrow("next key");
  });
});
