import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createEditTool } from "../../../src/tools/edit/definition.ts";
import { localFiles } from "../../../src/tools/files/local-files.ts";
import { suggestPaths } from "../../../src/tools/files/suggest-paths.ts";
import { createReadTool } from "../../../src/tools/read/definition.ts";
import { useTempFolder } from "../../exec/temp-folder.ts";
import { runTool } from "../run-tool.ts";

const folder = useTempFolder();

async function touch(...names: string[]) {
  for (const name of names) {
    await mkdir(join(folder.path, name, ".."), { recursive: true });
    await writeFile(join(folder.path, name), "");
  }
}

async function suggest(path: string): Promise<string[]> {
  const found = await suggestPaths(localFiles, join(folder.path, path));
  return found.map((name) => name.slice(folder.path.length + 1));
}

test("names that are near, the nearest first, three at most", async () => {
  await touch("read.ts", "write.ts", "raid.ts", "rad.ts", "raced.ts", "unrelated.md", "a.ts");
  expect(await suggest("raed.ts")).toEqual(["raced.ts", "rad.ts", "raid.ts"]);
  expect(await suggest("reda.ts")).toEqual(["rad.ts", "read.ts"]);
  expect(await suggest("no.ts")).toEqual([]);
  expect(await suggest("nothing-like-it.txt")).toEqual([]);
});

test("another case, another extension, the beginning of a name", async () => {
  await touch("README.md", "config.yaml", "package-lock.json");
  expect(await suggest("readme.md")).toEqual(["README.md"]);
  expect(await suggest("config.json")).toEqual(["config.yaml"]);
  expect(await suggest("package")).toEqual(["package-lock.json"]);
});

test("a misspelt folder, with the rest of the path where that exists", async () => {
  await touch("source/tools/read.ts", "sources/other.ts");
  expect(await suggest("sourse/tools/read.ts")).toEqual(["source/tools/read.ts"]);
  expect(await suggest("sourse/nothing.ts")).toEqual(["source", "sources"]);
  expect(await suggest("source/toolz/reed.ts")).toEqual(["source/tools"]);
});

test("read and edit name them as the model wrote the path", async () => {
  await touch("src/index.ts");
  const read = createReadTool(folder.path);
  await expect(runTool(read, { path: "src/indx.ts" })).rejects.toMatchObject({
    code: "not_found",
    message: expect.stringMatching(/\(ENOENT\)\. .* Did you mean src\/index\.ts\?$/),
  });
  const absolute = join(folder.path, "src/idnex.ts");
  await expect(runTool(read, { path: absolute })).rejects.toThrow(`Did you mean ${join(folder.path, "src/index.ts")}?`);
  const edit = runTool(createEditTool(folder.path), { path: "src/index.js", oldText: "a", newText: "b" });
  await expect(edit).rejects.toThrow("Did you mean src/index.ts?");
});
