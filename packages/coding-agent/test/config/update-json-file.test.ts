import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { updateJsonFile } from "../../src/config/update-json-file.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();
const source = fileURLToPath(new URL("../../src/config/update-json-file.ts", import.meta.url));
const read = async (path: string): Promise<unknown> => JSON.parse(await readFile(path, "utf8"));

/** Runs a module that has `updateJsonFile`, `path` and `name`; it is killed when the test is over. */
async function start(body: string, path: string, name: string) {
  const program = await workspace.write(
    `${name}.ts`,
    `import { updateJsonFile } from ${JSON.stringify(source)};\nconst [path, name] = process.argv.slice(2);\n${body}`,
  );
  const child = spawn(process.execPath, ["--conditions=pikit-source", program, path, name], {
    cwd: dirname(source),
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

test("SC-006 processes that change a file at the same time lose nothing of each other", async () => {
  const path = join(workspace.root, "deep/settings.json");
  const body = `for (let n = 0; n < 10; n += 1) await updateJsonFile(path, (content) => ({ ...content, [name + n]: n }), { waitMs: 200_000 });`;
  const children = await Promise.all(["a", "b", "c", "d"].map((name) => start(body, path, name)));
  const codes = children.map(async (child) => (await once(child, "exit"))[0]);
  // This process too, several times at once.
  await Promise.all(
    Array.from({ length: 10 }, (_, n) => updateJsonFile(path, (content) => ({ ...content, [`self${n}`]: n }), { waitMs: 200_000 })),
  );
  expect(await Promise.all(codes)).toEqual([0, 0, 0, 0]);
  expect(Object.keys((await read(path)) as object)).toHaveLength(50);
  expect(await readdir(dirname(path))).toEqual(["settings.json"]);
});

test("SC-006 the lock of a process that was killed while it changed the file is taken over by one of those who wait", async () => {
  const path = await workspace.write("settings.json", { a: 1 });
  const holder = await start(
    `await updateJsonFile(path, () => {
      process.stdout.write("holds it");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); // until it is killed
      return { lost: true };
    });`,
    path,
    "holder",
  );
  await once(holder.stdout, "data");
  expect(JSON.parse(await readFile(`${path}.lock`, "utf8"))).toMatchObject({ pid: holder.pid });
  const changes = ["b", "c"].map((name) => updateJsonFile(path, (content) => ({ ...content, [name]: 1 }), { waitMs: 200_000 }));
  holder.kill("SIGKILL");
  await Promise.all(changes);
  expect(await read(path)).toEqual({ a: 1, b: 1, c: 1 });
  expect((await readdir(workspace.root)).filter((name) => name.includes("lock"))).toEqual([]);
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

test.each([
  [
    "the lock of another host",
    (lock: string) =>
      writeFile(lock, JSON.stringify({ pid: 7, startTime: "1", host: "elsewhere", since: "2026-01-02T03:04:05.678Z" })),
    (path: string) =>
      `${path} is being changed by process 7 of elsewhere since 2026-01-02T03:04:05.678Z, which did not finish within 1 ms. Try again. ` +
      `If that process has ended, remove ${path}.lock.`,
  ],
  [
    // Other programs lock the same files by a folder.
    "a folder",
    (lock: string) => mkdir(lock),
    (path: string) =>
      `${path} cannot be locked, since ${path}.lock is in the lock's place: it is a folder, and a regular file is needed (EISDIR). ` +
      `If no program is changing ${path}, remove it.`,
  ],
])("SC-006 %s that stays is an error after a bounded time, and is not removed", async (_name, make, message) => {
  const path = await workspace.write("settings.json", {});
  await make(`${path}.lock`);
  // no race: the lock is never released.
  await expect(updateJsonFile(path, () => ({ a: 1 }), { waitMs: 1 })).rejects.toMatchObject({
    code: "config_unavailable",
    message: message(path),
  });
  expect(await read(path)).toEqual({});
  expect(await readdir(workspace.root)).toContain("settings.json.lock");
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
