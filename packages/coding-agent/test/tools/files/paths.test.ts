import { mkdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { expandPath, findExisting } from "../../../src/tools/files/paths.ts";
import { createReadTool } from "../../../src/tools/read/definition.ts";
import { useTempFolder } from "../../exec/temp-folder.ts";
import { runTool, textOf } from "../run-tool.ts";

const folder = useTempFolder();

async function touch(...names: string[]) {
  for (const name of names) {
    await mkdir(join(folder.path, name, ".."), { recursive: true });
    await writeFile(join(folder.path, name), name);
  }
}

describe("TL-019 paths as models write them", () => {
  test("relative, absolute, home, file URL, spaces and quotes as part of the name", async () => {
    const cwd = folder.path;
    expect(await expandPath(cwd, "a/../b c")).toBe(join(cwd, "b c"));
    expect(await expandPath(cwd, "/x/y")).toBe("/x/y");
    expect(await expandPath(cwd, "~")).toBe(homedir());
    expect(await expandPath(cwd, "~/x")).toBe(join(homedir(), "x"));
    expect(await expandPath(cwd, "~x")).toBe(join(cwd, "~x"));
    expect(await expandPath(cwd, pathToFileURL("/x/ü y.txt").href)).toBe("/x/ü y.txt");
    expect(await expandPath(cwd, `it's "q".txt`)).toBe(join(cwd, `it's "q".txt`));
  });

  test("a leading @ is a mention, unless something is called so", async () => {
    await touch("@scope/a.txt", "b.txt");
    expect(await expandPath(folder.path, "@b.txt")).toBe(join(folder.path, "b.txt"));
    expect(await expandPath(folder.path, "@~/x")).toBe(join(homedir(), "x"));
    expect(await expandPath(folder.path, "@scope/new.txt")).toBe(join(folder.path, "@scope/new.txt"));
  });

  test.each(["", "a\0b", "file://host/x"])("%j is refused", async (path) => {
    await expect(expandPath(folder.path, path)).rejects.toMatchObject({ code: "invalid_path" });
  });

  test.each([
    ["narrow no-break space", "Shot 3.21\u202fPM.png", "Shot 3.21 PM.png"],
    ["decomposed letters", "re\u0301sume\u0301/a.txt", "r\u00e9sum\u00e9/a.txt"],
    ["composed letters", "r\u00e9sum\u00e9.txt", "re\u0301sume\u0301.txt"],
    ["curly apostrophe", "it\u2019s.txt", "it's.txt"],
    ["straight apostrophe", "it's.txt", "it\u2019s.txt"],
    ["quotes around the path", "a b.txt", '"a b.txt"'],
  ])("a missing name finds its look-alike: %s", async (_what, onDisk, written) => {
    await touch(onDisk);
    expect(await findExisting(folder.path, written)).toBe(join(folder.path, onDisk));
  });

  test("an exact name wins, and two look-alikes are none", async () => {
    await touch("it\u2019s.txt", "it\u02bcs.txt");
    expect(await findExisting(folder.path, "it's.txt")).toBe(join(folder.path, "it's.txt"));
    expect(await findExisting(folder.path, "it\u2019s.txt")).toBe(join(folder.path, "it\u2019s.txt"));
  });
});

test("TL-020 tools of two sessions in one process work in their own folders", async () => {
  await touch("one/a.txt", "two/a.txt");
  const texts = ["one", "two"].map(async (name) =>
    textOf(await runTool(createReadTool(join(folder.path, name)), { path: "a.txt" })),
  );
  expect(await Promise.all(texts)).toEqual(["one/a.txt", "two/a.txt"]);
});
