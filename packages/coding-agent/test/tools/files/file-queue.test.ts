import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createEditTool } from "../../../src/tools/edit/definition.ts";
import { inFileQueue } from "../../../src/tools/files/file-queue.ts";
import { createWriteTool } from "../../../src/tools/write/definition.ts";
import { useTempFolder } from "../../exec/temp-folder.ts";
import { runTool } from "../run-tool.ts";

const folder = useTempFolder();

function enqueue(path: string, task: (realPath: string) => Promise<unknown>) {
  return inFileQueue(async () => path, task);
}

describe("TL-029 one file, one task at a time", () => {
  test("in call order, under all names of the file", async () => {
    await mkdir(join(folder.path, "dir"));
    await writeFile(join(folder.path, "dir/a"), "");
    await symlink("dir/a", join(folder.path, "link"));
    await symlink("dir", join(folder.path, "dir-link"));
    const log: string[] = [];
    const names = ["dir/a", "link", "dir/../dir/a", "dir-link/a", "link"];
    await Promise.all(
      names.map((name, index) =>
        enqueue(`${folder.path}/${name}`, async (realPath) => {
          log.push(`${index} starts ${realPath.slice(folder.path.length + 1)}`);
          await new Promise(setImmediate);
          log.push(`${index} ends`);
        }),
      ),
    );
    expect(log).toEqual(names.flatMap((_, index) => [`${index} starts dir/a`, `${index} ends`]));
  });

  test("different files run beside each other, and a failed task does not stop the next", async () => {
    const held = Promise.withResolvers<void>();
    const first = enqueue(join(folder.path, "a"), () => held.promise);
    const failing = enqueue(join(folder.path, "a"), async () => {
      throw new Error("failed");
    });
    const last = enqueue(join(folder.path, "a"), async () => "last");
    expect(await enqueue(join(folder.path, "b"), async () => "other")).toBe("other");
    held.resolve();
    await first;
    await expect(failing).rejects.toThrow("failed");
    expect(await last).toBe("last");
  });

  test("a path that cannot be found out fails alone", async () => {
    const failing = inFileQueue(
      () => Promise.reject(new Error("no path")),
      async () => "never",
    );
    const next = enqueue(join(folder.path, "a"), async () => "next");
    await expect(failing).rejects.toThrow("no path");
    expect(await next).toBe("next");
  });

  test("writes and edits of one answer take effect in order, though nobody waits in between", async () => {
    // The build has both in one file; here each tool loads its own with its first call, and the calls begin in the order in which they come.
    await Promise.all([import("../../../src/tools/write/run.ts"), import("../../../src/tools/edit/run.ts")]);
    const write = createWriteTool(folder.path);
    const edit = createEditTool(folder.path);
    await Promise.all([
      runTool(write, { path: "a", content: "0" }),
      ...Array.from({ length: 9 }, (_, i) => runTool(edit, { path: "./x/../a", oldText: `${i}`, newText: `${i + 1}` })).slice(0, 9),
      runTool(write, { path: "b", content: "b" }),
    ]);
    expect(await readFile(join(folder.path, "a"), "utf8")).toBe("9");
  });

  test("an abort does not let the next task in before the running one has ended", async () => {
    const controller = new AbortController();
    const log: string[] = [];
    const held = Promise.withResolvers<void>();
    const running = enqueue(join(folder.path, "a"), async () => {
      await held.promise;
      log.push("running ended");
    });
    const aborted = runTool(createWriteTool(folder.path), { path: "a", content: "never" }, { signal: controller.signal });
    const next = enqueue(join(folder.path, "a"), async () => log.push("next"));
    controller.abort(new Error("stop"));
    held.resolve();
    await expect(aborted).rejects.toThrow("stop");
    await Promise.all([running, next]);
    expect(log).toEqual(["running ended", "next"]);
    await expect(readFile(join(folder.path, "a"))).rejects.toThrow("ENOENT");
  });
});
