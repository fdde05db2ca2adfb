import { execFileSync } from "node:child_process";
import { copyFile, mkdir, readdir, readFile, rename, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { SessionFile } from "../../src/conversation/session-file.ts";
import { ownProcess } from "../../src/locks/holder.ts";
import { userMessage } from "../helpers/messages.ts";
import { useWorkspace } from "../helpers/workspace.ts";
import { openToWrite, sessionText, startWriter, textsIn } from "./helpers.ts";

const workspace = useWorkspace();
const path = () => join(workspace.root, "session.jsonl");
const lockPath = () => `${path()}.lock`;
const lockFiles = async () => (await readdir(workspace.root)).filter((name) => name.includes(".lock"));
const foreignLock = JSON.stringify({ pid: 1, startTime: "1", host: "elsewhere", since: "2026-01-02T03:04:05.678Z" });
const self = () => expect.objectContaining(ownProcess());

function lockedBy(pid: number): unknown {
  return expect.objectContaining({
    code: "locked",
    message: expect.stringMatching(
      new RegExp(`^The session file ${path()} is being written by .*\\b${pid}\\b.* fork it and go on in the copy\\.$`),
    ),
  });
}

describe("SE-016 one writer a file", () => {
  test("a second process is refused and told the first one's pid; both files and lines stay whole; then it is let in", async () => {
    await writeFile(path(), sessionText(["one"]));
    const first = startWriter(path());
    expect(await first.next()).toEqual({ pid: first.pid, ready: true });
    expect(JSON.parse(await readFile(lockPath(), "utf8"))).toMatchObject({ pid: first.pid });
    const second = startWriter(path());
    expect((await second.next()).locked).toContain(`is being written by process ${first.pid}. `);
    expect(() => new SessionFile(path()).open(() => {})).toThrow(lockedBy(first.pid) as Error);
    await first.step();
    expect((await second.step()).locked).toContain(String(first.pid));
    await first.step();
    expect(await textsIn(path())).toEqual(["one", `${first.pid} 1`, `${first.pid} 2`]);
    await first.end();
    expect(await lockFiles()).toEqual([]);
    expect((await second.step()).ready).toBe(true);
    await second.step();
    await second.end();
    expect(await textsIn(path())).toEqual(["one", `${first.pid} 1`, `${first.pid} 2`, `${second.pid} 1`]);
  });

  test("a holder that was killed is replaced at once", async () => {
    await writeFile(path(), sessionText(["one"]));
    const killed = startWriter(path());
    await killed.next();
    await killed.step();
    await killed.end("SIGKILL");
    expect(await lockFiles()).toEqual(["session.jsonl.lock"]);
    const conversation = await openToWrite(path());
    await conversation.appendMessage(userMessage("two"));
    expect(JSON.parse(await readFile(lockPath(), "utf8"))).toEqual(self());
    await conversation.close();
    expect(await textsIn(path())).toEqual(["one", `${killed.pid} 1`, "two"]);
    expect(await lockFiles()).toEqual([]);
  });

  test("of several that find a dead one's lock, one gets it", async () => {
    await writeFile(path(), sessionText([]));
    const dead = startWriter(path());
    await dead.next();
    await dead.end("SIGKILL");
    const writers = Array.from({ length: 4 }, () => startWriter(path(), "waits"));
    for (const writer of writers) expect((await writer.next()).waiting).toBe(true);
    const answers = await Promise.all(writers.map((writer) => writer.step()));
    expect(answers.filter(({ ready }) => ready)).toHaveLength(1);
    expect(answers.filter(({ locked }) => locked)).toHaveLength(3);
    expect(await lockFiles()).toEqual(["session.jsonl.lock"]);
  });

  test("the lock of another host keeps others out, and the message says how to take it over; with that, the session goes on", async () => {
    await writeFile(path(), sessionText(["one"]));
    await writeFile(lockPath(), foreignLock);
    const message = `The session file ${path()} is being written by process 1 of elsewhere since 2026-01-02T03:04:05.678Z. End the session there, or fork it and go on in the copy. If that process has ended, open the session with --take-over (SDK and RPC: takeOverLock), or remove ${lockPath()}.`;
    await expect(openToWrite(path())).rejects.toMatchObject({ code: "locked", message });
    const conversation = await openToWrite(path(), { takeOverLock: true });
    await conversation.appendMessage(userMessage("two"));
    expect(await textsIn(path())).toEqual(["one", "two"]);
    expect(JSON.parse(await readFile(lockPath(), "utf8"))).toEqual(self());
    await conversation.close();
    expect(await lockFiles()).toEqual([]);
  });

  test("a session that took a lock over does not take it back from another host that did so later", async () => {
    await writeFile(path(), sessionText(["one"]));
    await writeFile(lockPath(), foreignLock);
    const conversation = await openToWrite(path(), { takeOverLock: true });
    await writeFile(lockPath(), foreignLock);
    await expect(conversation.appendMessage(userMessage("two"))).rejects.toMatchObject({ code: "locked" });
    expect(await readFile(lockPath(), "utf8")).toBe(foreignLock);
    expect(await textsIn(path())).toEqual(["one"]);
  });

  test("the same file twice in one process is refused, also through a link and after the lock file was removed", async () => {
    await writeFile(path(), sessionText(["one"]));
    const link = join(workspace.root, "link.jsonl");
    await symlink(path(), link);
    const conversation = await openToWrite(link);
    expect(() => new SessionFile(path()).open(() => {})).toThrow(lockedBy(process.pid) as Error);
    expect(await lockFiles()).toEqual(["session.jsonl.lock"]);
    await conversation.close();
    const direct = await openToWrite(path());
    expect(() => new SessionFile(link).open(() => {})).toThrow(expect.objectContaining({ code: "locked" }));
    await rm(lockPath());
    await direct.appendMessage(userMessage("two"));
    expect(() => new SessionFile(link).open(() => {})).toThrow(expect.objectContaining({ code: "locked" }));
    expect(await textsIn(path())).toEqual(["one", "two"]);
  });

  test("a link to a file that is yet to be made has the lock of that file", async () => {
    await mkdir(join(workspace.root, "far"));
    await symlink("far/target.jsonl", path());
    const file = new SessionFile(path());
    const [header] = sessionText([]).split("\n");
    file.append([JSON.parse(header as string)]);
    expect(await readdir(join(workspace.root, "far"))).toEqual(["target.jsonl", "target.jsonl.lock"]);
    file.close();
  });

  test("a writer whose lock was taken over writes no more, and says so", async () => {
    await writeFile(path(), sessionText(["one"]));
    const conversation = await openToWrite(path());
    await rm(lockPath());
    const other = startWriter(path());
    await other.next();
    await expect(conversation.appendMessage(userMessage("two"))).rejects.toThrow(lockedBy(other.pid) as Error);
    await other.step();
    expect(await textsIn(path())).toEqual(["one", `${other.pid} 1`]);
    await conversation.close();
    expect(JSON.parse(await readFile(lockPath(), "utf8"))).toMatchObject({ pid: other.pid });
    await other.end();
    // What waited comes with the next append that can be written.
    await conversation.appendMessage(userMessage("three"));
    expect(await textsIn(path())).toEqual(["one", "two", "three"]);
    expect(await lockFiles()).toEqual([]);
  });

  describe("what is in a lock's place and does not say who holds it keeps everybody out", () => {
    const kinds: [name: string, make: () => unknown, said: string][] = [
      ["a folder", () => mkdir(lockPath()), "it is a folder, and a regular file is needed (EISDIR)"],
      ["a pipe", () => execFileSync("mkfifo", [lockPath()]), "it is a pipe, and a regular file is needed (EFTYPE)"],
      ["a link", () => symlink("elsewhere", lockPath()), "it is a link, and a regular file is needed (EFTYPE)"],
      ["a lock of another program", () => writeFile(lockPath(), "4711\n"), "it does not say which process made it"],
      ["a large file", () => writeFile(lockPath(), "x".repeat(5000)), "it is larger than 4 KB (EFBIG)"],
    ];
    const refusal = (said: string) =>
      `The session file ${path()} cannot be locked, since ${lockPath()} is in the lock's place: ${said}. ` +
      "End what may be writing the session, then remove it.";

    test.each(kinds)("when it is opened: %s", async (_name, make, said) => {
      await writeFile(path(), sessionText(["one"]));
      await make();
      await expect(openToWrite(path())).rejects.toMatchObject({ code: "locked", message: refusal(said) });
      // To read needs no lock.
      expect(await textsIn(path())).toEqual(["one"]);
      await rm(lockPath(), { recursive: true });
      await (await openToWrite(path())).appendMessage(userMessage("two"));
      expect(await textsIn(path())).toEqual(["one", "two"]);
    });

    test.each(kinds)("while it is open: %s", async (_name, make, said) => {
      await writeFile(path(), sessionText(["one"]));
      const conversation = await openToWrite(path());
      await rm(lockPath());
      await make();
      await expect(conversation.appendMessage(userMessage("two"))).rejects.toMatchObject({ message: refusal(said) });
      expect(await textsIn(path())).toEqual(["one"]);
      await rm(lockPath(), { recursive: true });
      await conversation.appendMessage(userMessage("three"));
      expect(await textsIn(path())).toEqual(["one", "two", "three"]);
    });
  });

  test("reading takes no lock, and what is no session gets none", async () => {
    await writeFile(path(), "notes\n");
    expect(() => new SessionFile(path()).open(() => {})).toThrow(expect.objectContaining({ code: "not_a_session" }));
    expect(() => new SessionFile(join(workspace.root, "no", "file")).open(() => {})).toThrow(
      expect.objectContaining({ code: "not_found" }),
    );
    expect(await readdir(workspace.root)).toEqual(["session.jsonl", "work"]);
    await writeFile(path(), sessionText(["one"]));
    expect(await textsIn(path())).toEqual(["one"]);
    expect(await lockFiles()).toEqual([]);
  });

  test("a lock file that was touched or copied is still held and released", async () => {
    await writeFile(path(), sessionText([]));
    const conversation = await openToWrite(path());
    await utimes(lockPath(), 1, 1);
    await conversation.appendMessage(userMessage("one"));
    await copyFile(lockPath(), `${lockPath()}.copy`);
    await rename(`${lockPath()}.copy`, lockPath());
    await conversation.appendMessage(userMessage("two"));
    expect(await textsIn(path())).toEqual(["one", "two"]);
    await conversation.close();
    expect(await lockFiles()).toEqual([]);
  });
});
