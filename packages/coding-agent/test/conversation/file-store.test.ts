import { execFileSync } from "node:child_process";
import { chmod, mkdir, readdir, rm, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FileSessionStore } from "../../src/conversation/file-store.ts";
import { useWorkspace } from "../helpers/workspace.ts";
import { openToWrite, sessionText } from "./helpers.ts";

const workspace = useWorkspace();
const folder = () => join(workspace.root, "sessions");
const store = () => new FileSessionStore(folder());

async function session(name: string, cwd: string, modifiedAt: number): Promise<string> {
  const header = { type: "session", version: 3, id: "x", timestamp: "2026-01-01T00:00:00.000Z", cwd };
  return file(name, `${JSON.stringify(header)}\n`, modifiedAt);
}

async function file(name: string, content: string, modifiedAt: number): Promise<string> {
  const path = await workspace.write(`sessions/${name}`, content);
  await utimes(path, modifiedAt, modifiedAt);
  return path;
}

async function refs(...args: Parameters<FileSessionStore["list"]>): Promise<string[]> {
  return (await store().list(...args)).map(({ ref }) => ref);
}

describe("SE-018 the sessions of a folder", () => {
  test("are those of the working folder, the one that was written to last first, whatever else lies there", async () => {
    const oldest = await session("2026-01-03_c.jsonl", "/project", 100);
    const latest = await session("2026-01-01_a.jsonl", "/project", 300);
    const between = await session("2026-01-02_b.jsonl", "/project", 200);
    const other = await session("2026-01-09_other.jsonl", "/elsewhere", 900);
    await file("2026-01-09_empty.jsonl", "", 901);
    await file("2026-01-09_foreign.jsonl", '{"type":"package","cwd":"/project"}\n', 902);
    await file("2026-01-09_text.jsonl", "not JSON\n", 903);
    await file("2026-01-09_null.jsonl", "null\n", 904);
    await file("2026-01-09_newer.jsonl", '{"type":"session","version":4,"id":"x","cwd":"/project"}\n', 904);
    await file("2026-01-09_note.txt", '{"type":"session","cwd":"/project"}\n', 905);
    await mkdir(join(folder(), "2026-01-09_folder.jsonl"));
    await symlink(join(folder(), "gone"), join(folder(), "2026-01-09_dangling.jsonl"));
    execFileSync("mkfifo", [join(folder(), "2026-01-09_pipe.jsonl")]);
    await chmod(await session("2026-01-09_secret.jsonl", "/elsewhere", 906), 0);
    expect(await refs({ cwd: "/project" })).toEqual([latest, between, oldest]);
    expect(await refs({ cwd: "/project", limit: 1 })).toEqual([latest]);
    expect((await refs()).filter((ref) => !ref.includes("secret"))).toEqual([other, latest, between, oldest]);
  });

  test("are told with what their headers say and when they were written to", async () => {
    const header = {
      type: "session",
      version: 3,
      id: "x-1",
      timestamp: "2026-01-02T00:00:00.000Z",
      cwd: "/project",
      parentSession: "/sessions/earlier.jsonl",
    };
    const ref = await file("2026-01-02_x-1.jsonl", `${JSON.stringify(header)}\n`, 100);
    expect(await store().list()).toEqual([
      {
        ref,
        id: "x-1",
        cwd: "/project",
        createdAt: "2026-01-02T00:00:00.000Z",
        modifiedMs: 100_000,
        parentSession: "/sessions/earlier.jsonl",
      },
    ]);
  });

  test("written in the same instant: the one that was begun last is first", async () => {
    const first = await session("2026-01-01T00-00-00-000Z_a.jsonl", "/project", 100);
    const second = await session("2026-01-01T00-00-00-001Z_b.jsonl", "/project", 100);
    expect(await refs({ cwd: "/project" })).toEqual([second, first]);
  });

  test("are none without a folder, and none of another working folder", async () => {
    expect(await refs({ cwd: "/project" })).toEqual([]);
    await session("2026-01-01_a.jsonl", "/project/sub", 1);
    expect(await refs({ cwd: "/project" })).toEqual([]);
  });

  test("of which some are deleted while they are listed: the others are there", async () => {
    const kept: string[] = [];
    const gone: string[] = [];
    for (let n = 0; n < 60; n += 1) (n % 2 ? gone : kept).push(await session(`2026-01-01_s${n}.jsonl`, "/project", n));
    const listing = refs({ cwd: "/project" });
    await Promise.all(gone.map((path) => rm(path)));
    expect((await listing).filter((ref) => kept.includes(ref))).toEqual(kept.toReversed());
  });

  test("are found by the beginning of their id; a whole id wins over longer ones", async () => {
    const ab = await session("2026-01-01_ab.jsonl", "/project", 1);
    const abc = await session("2026-01-01_abc.jsonl", "/project", 1);
    const a_b = await session("2026-01-01_x_b.jsonl", "/project", 1);
    await session("2026-01-01_.jsonl", "/project", 1);
    expect((await refs({ idPrefix: "a" })).sort()).toEqual([ab, abc]);
    expect(await refs({ idPrefix: "ab" })).toEqual([ab]);
    expect(await refs({ idPrefix: "x_b" })).toEqual([a_b]);
    expect(await refs({ idPrefix: "b" })).toEqual([]);
    expect(await refs({ idPrefix: "" })).toHaveLength(4);
  });
});

describe("a session that is removed", () => {
  test("is gone; one that somebody writes to stays, also by another name", async () => {
    const path = await workspace.write("sessions/a.jsonl", sessionText(["one"]));
    const link = join(workspace.root, "link.jsonl");
    await symlink(path, link);
    const conversation = await openToWrite(path);
    expect(() => store().remove(path)).toThrow(expect.objectContaining({ code: "locked" }));
    expect(() => store().remove(link)).toThrow(expect.objectContaining({ code: "locked" }));
    await conversation.close();
    store().remove(path);
    store().remove(path);
    expect(await readdir(folder())).toEqual([]);
  });

  test("stays while something else is in its lock's place", async () => {
    const path = await workspace.write("sessions/a.jsonl", sessionText(["one"]));
    await mkdir(`${path}.lock`);
    expect(() => store().remove(path)).toThrow(expect.objectContaining({ code: "locked" }));
    expect(await readdir(folder())).toEqual(["a.jsonl", "a.jsonl.lock"]);
  });
});
