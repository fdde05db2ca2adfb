import { execFile } from "node:child_process";
import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { updateJsonFile } from "../../src/config/update-json-file.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();
const source = fileURLToPath(new URL("../../src/config/update-json-file.ts", import.meta.url));
const read = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, "utf8"));

test("SC-006 processes that change a file at the same time lose nothing of each other", async () => {
  const path = join(workspace.root, "deep/settings.json");
  const program = await workspace.write(
    "count.ts",
    `import { updateJsonFile } from ${JSON.stringify(source)};
    const [path, name] = process.argv.slice(2);
    for (let n = 0; n < 10; n += 1) await updateJsonFile(path, (content) => ({ ...content, [name + n]: n }), { waitMs: 200_000 });`,
  );
  const run = promisify(execFile);
  const node = ["--conditions=pikit-source", program, path];
  await Promise.all(["a", "b", "c"].map((name) => run(process.execPath, [...node, name], { cwd: dirname(source) })));
  expect(Object.keys((await read(path)) as object)).toHaveLength(30);
  expect(await readdir(dirname(path))).toEqual(["settings.json"]);
});

test("SC-006 edits by others survive, unknown keys too; the mode of the file stays, and a new file is private", async () => {
  const path = await workspace.write("settings.json", { theme: "dark", count: 1 });
  await updateJsonFile(path, (content) => ({ ...content, count: Number(content.count) + 1 }));
  expect(await read(path)).toEqual({ theme: "dark", count: 2 });
  expect((await stat(path)).mode & 0o777).toBe(0o644 & ~process.umask());
  const fresh = join(workspace.root, "fresh.json");
  await updateJsonFile(fresh, () => ({ key: 1 }));
  expect((await stat(fresh)).mode & 0o777).toBe(0o600);
});

test("SC-006 a malformed file is reported with its line, and stays as it is", async () => {
  const path = await workspace.write("settings.json", '{\n  "key": "5ecret",\n  oops\n}');
  const change = updateJsonFile(path, () => ({}));
  await expect(change).rejects.toMatchObject({ name: "UsageError", message: expect.stringContaining("line 3") });
  await expect(change).rejects.not.toThrow(/5ecret/);
  expect(await readFile(path, "utf8")).toContain("oops");
  expect(await readdir(workspace.root)).not.toContain("settings.json.lock");
});

test("SC-006 a lock that is not let go of is an error after a bounded time", async () => {
  const path = await workspace.write("settings.json", {});
  await mkdir(`${path}.lock`);
  // no race: the lock is never let go of.
  await expect(updateJsonFile(path, () => ({ a: 1 }), { waitMs: 100 })).rejects.toThrow(/is being changed by another process/);
  expect(await read(path)).toEqual({});
});

test("SC-006 a change that throws leaves the file as it was, and the next one goes", async () => {
  const path = await workspace.write("settings.json", { a: 1 });
  const fail = () => {
    throw new Error("no");
  };
  await expect(updateJsonFile(path, fail)).rejects.toThrow("no");
  await updateJsonFile(path, (content) => ({ ...content, b: 2 }));
  expect(await read(path)).toEqual({ a: 1, b: 2 });
});

test("a file that is a link stays one", async () => {
  const target = await workspace.write("dotfiles/settings.json", { a: 1 });
  const path = join(workspace.root, "settings.json");
  await symlink(target, path);
  await updateJsonFile(path, (content) => ({ ...content, b: 2 }));
  expect(await read(target)).toEqual({ a: 1, b: 2 });
  await writeFile(target, "{}");
  expect(await read(path)).toEqual({});
});
