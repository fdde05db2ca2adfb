import { execFileSync } from "node:child_process";
import fs, { existsSync, mkdtempSync, readdirSync, readlinkSync, realpathSync, renameSync, rmSync, writeFileSync } from "node:fs";
import fsPromises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type FileUse, openFile, openFileSync, readWhole, readWholeSync } from "../../src/files/index.ts";

let root = "";
const path = () => join(root, "file");
const { statSync } = fs;
const { stat } = fsPromises;

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "pikit-swapped-")));
});
afterEach(() => {
  Object.assign(fs, { statSync });
  Object.assign(fsPromises, { stat });
  syncBuiltinESMExports();
  rmSync(root, { recursive: true });
});

/** Does something once the path was looked at, and before it is opened. */
function afterTheLook(act: () => void): void {
  const thenAct = <T>(result: T) => {
    act();
    return result;
  };
  Object.assign(fs, { statSync: (...args: Parameters<typeof statSync>) => thenAct(statSync(...args)) });
  Object.assign(fsPromises, { stat: async (...args: Parameters<typeof stat>) => thenAct(await stat(...args)) });
  syncBuiltinESMExports();
}

/** Descriptors of this process that belong to the path. */
function openDescriptors(): string[] {
  if (!existsSync("/proc/self/fd")) return [];
  return readdirSync("/proc/self/fd").filter((name) => {
    try {
      return readlinkSync(join("/proc/self/fd", name)) === path();
    } catch {
      return false; // the one that the list was read with
    }
  });
}

const uses: FileUse[] = ["read", "append", "record", "overwrite"];

test.each(uses)("a pipe that takes the file's place once it was looked at is not opened to %s, and not waited for", async (use) => {
  for (const open of [() => openFile(path(), { use }), async () => openFileSync(path(), { use })]) {
    writeFileSync(path(), "a file");
    execFileSync("mkfifo", [join(root, "pipe")]);
    afterTheLook(() => existsSync(join(root, "pipe")) && renameSync(join(root, "pipe"), path()));
    await expect(open()).rejects.toMatchObject({ name: "FileError", code: "EFTYPE", path: path() });
    expect(openDescriptors()).toEqual([]);
    rmSync(path());
  }
});

test("a file that says to have a terabyte costs no more memory than its limit", async () => {
  writeFileSync(path(), "start");
  fs.truncateSync(path(), 2 ** 40);
  for (const read of [() => readWhole(path(), 1000), async () => readWholeSync(path(), 1000)]) {
    await expect(read()).rejects.toMatchObject({ code: "EFBIG" });
  }
});
