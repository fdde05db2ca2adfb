import fs from "node:fs";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { FileLock, LockedError } from "../../src/locks/file-lock.ts";
import { type Holder, ownProcess } from "../../src/locks/holder.ts";
import { startWriter } from "../conversation/helpers.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();
const path = () => join(workspace.root, "file");
const lockPath = () => `${path()}.lock`;
const lockFiles = async () => (await readdir(workspace.root)).filter((name) => name.includes(".lock"));
const readLock = async () => JSON.parse(await readFile(lockPath(), "utf8"));

const elsewhere: Holder = { pid: 1, startTime: "1", host: "elsewhere", since: "2026-01-02T03:04:05.678Z" };
const ended = (): Holder => ({ ...ownProcess(), startTime: "1 of another boot" });

/** Takes the lock; released when the test is over. */
function take(options?: Parameters<typeof FileLock.take>[1]): FileLock {
  const lock = FileLock.take(path(), options);
  onTestFinished(() => lock.release());
  return lock;
}

/** Does something the moment before the next lock file appears at this path. */
function beforeLock(at: string, action: () => void): void {
  const { linkSync } = fs;
  const restore = () => {
    fs.linkSync = linkSync;
    syncBuiltinESMExports();
  };
  fs.linkSync = (from, to) => {
    if (to === at) {
      restore();
      action();
    }
    linkSync(from, to);
  };
  syncBuiltinESMExports();
  onTestFinished(restore);
}

test("a lock names its holder and when it was taken", async () => {
  take();
  const { since, ...holder } = await readLock();
  expect(holder).toEqual({ pid: process.pid, startTime: expect.stringMatching(/\d/), host: hostname(), ...pidNamespace() });
  expect(new Date(since).toISOString()).toBe(since);
});

function pidNamespace() {
  return process.platform === "linux" ? { pidNamespace: expect.stringMatching(/^pid:\[\d+\]$/) } : {};
}

describe("SE-016 a lock is replaced", () => {
  test.each([
    ["another process has its pid now", () => JSON.stringify(ended())],
    ["its pid is no one's", () => JSON.stringify({ ...ownProcess(), pid: 2 ** 22 + 1 })],
    ["a full disk left nothing in it", () => ""],
    ["a full disk cut it off", () => '{"pid":12'],
    ["a power failure left zeros in it", () => "\0".repeat(40)],
  ])("when %s", async (_name, content) => {
    await writeFile(lockPath(), content());
    take();
    expect(await readLock()).toMatchObject(ownProcess());
    expect(await lockFiles()).toEqual(["file.lock"]);
  });

  test("also after a process was killed while it replaced it", async () => {
    await writeFile(lockPath(), JSON.stringify(ended()));
    await writeFile(`${lockPath()}.lock`, JSON.stringify(ended()));
    take();
    expect(await lockFiles()).toEqual(["file.lock"]);
  });

  test("once: a lock that another process has put in its place stays", async () => {
    await writeFile(lockPath(), JSON.stringify(ended()));
    beforeLock(`${lockPath()}.lock`, () => fs.writeFileSync(lockPath(), JSON.stringify(elsewhere)));
    expect(() => take()).toThrow(LockedError);
    expect(await readLock()).toEqual(elsewhere);
    expect(await lockFiles()).toEqual(["file.lock"]);
  });

  test("once: a process that finds it gone removes nothing, since a new lock may appear at any moment", async () => {
    await writeFile(lockPath(), JSON.stringify(ended()));
    const { rmSync } = fs;
    const removed: unknown[] = [];
    beforeLock(`${lockPath()}.lock`, () => {
      rmSync(lockPath());
      fs.rmSync = (target, options) => {
        removed.push(target);
        rmSync(target, options);
      };
      syncBuiltinESMExports();
    });
    onTestFinished(() => {
      fs.rmSync = rmSync;
      syncBuiltinESMExports();
    });
    const lock = take();
    expect(removed).not.toContain(lockPath());
    expect(removed).toContain(`${lockPath()}.lock`);
    expect(lock.isHeld).toBe(true);
  });
});

describe("a holder that cannot be asked about", () => {
  const sibling = (): Holder => ({ ...ownProcess(), pid: 2 ** 22 + 1, pidNamespace: "pid:[1]" });

  test.each([
    ["on another host", () => elsewhere, "process 1 of elsewhere since 2026-01-02T03:04:05.678Z"],
    // Containers may share a host name: those of one pod do, and those on the network of their host.
    ["in another container", sibling, `process ${2 ** 22 + 1} of another container of ${hostname()}`],
  ])("%s keeps its lock, unless it is taken over", async (_name, holder, said) => {
    await writeFile(lockPath(), JSON.stringify(holder()));
    expect(() => take()).toThrow(`${lockPath()}: held by ${said}`);
    expect(await readLock()).toEqual(holder());
    const lock = take({ takeOver: true });
    expect(await readLock()).toMatchObject(ownProcess());
    expect(lock.isHeld).toBe(true);
    expect(await lockFiles()).toEqual(["file.lock"]);
  });

  test("is the one that was found first: another that has taken the lock over meanwhile keeps it", async () => {
    const second = { ...elsewhere, host: "third", since: "2026-01-02T03:04:06.000Z" };
    await writeFile(lockPath(), JSON.stringify(elsewhere));
    beforeLock(`${lockPath()}.lock`, () => fs.writeFileSync(lockPath(), JSON.stringify(second)));
    expect(() => take({ takeOver: true })).toThrow(/held by process 1 of third/);
    expect(await readLock()).toEqual(second);
  });

  test("keeps the lock of a lock, which is removed by hand: two that take over at once would remove each other's", async () => {
    await writeFile(lockPath(), JSON.stringify(elsewhere));
    await writeFile(`${lockPath()}.lock`, JSON.stringify(elsewhere));
    expect(() => take({ takeOver: true })).toThrow(expect.objectContaining({ lockPath: `${lockPath()}.lock` }));
    await rm(`${lockPath()}.lock`);
    take({ takeOver: true });
    expect(await lockFiles()).toEqual(["file.lock"]);
  });
});

test("a process of this host that is running is never taken over from", async () => {
  const session = await workspace.write("session.jsonl", '{"type":"session","version":3,"id":"s","timestamp":"t","cwd":"/"}\n');
  const other = startWriter(session);
  expect(await other.next()).toMatchObject({ ready: true });
  const held = await readFile(`${session}.lock`, "utf8");
  expect(() => FileLock.take(session, { takeOver: true })).toThrow(`held by process ${other.pid}`);
  expect(await readFile(`${session}.lock`, "utf8")).toBe(held);
});

test("a lock is waited for; after the time it is an error", async () => {
  const first = take();
  // no race: it is released after the error only.
  await expect(FileLock.wait(path(), { waitMs: 1 })).rejects.toThrow(`held by this process (${process.pid})`);
  const second = FileLock.wait(path(), { waitMs: 600_000 });
  first.release();
  (await second).release();
  expect(await lockFiles()).toEqual([]);
});

test("a lock is released once, and not when it is another's", async () => {
  const lock = take();
  expect(lock.isHeld).toBe(true);
  await writeFile(lockPath(), JSON.stringify({ ...ownProcess(), pid: 1 }));
  expect(lock.isHeld).toBe(false);
  lock.release();
  lock.release();
  expect(await lockFiles()).toEqual(["file.lock"]);
});
