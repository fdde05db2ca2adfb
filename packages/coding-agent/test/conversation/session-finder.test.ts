import { chmod, mkdir, symlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { findLatestSession, findSessionsById } from "../../src/conversation/session-finder.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();
const folder = () => join(workspace.root, "sessions");

async function session(name: string, cwd: string, modifiedAt: number): Promise<string> {
  const header = { type: "session", version: 3, id: "x", timestamp: "2026-01-01T00:00:00.000Z", cwd };
  return file(name, `${JSON.stringify(header)}\n`, modifiedAt);
}

async function file(name: string, content: string, modifiedAt: number): Promise<string> {
  const path = await workspace.write(`sessions/${name}`, content);
  await utimes(path, modifiedAt, modifiedAt);
  return path;
}

describe("SE-018 the session to continue", () => {
  test("is the one of this folder that was written to last, whatever else lies there", async () => {
    await session("2026-01-03_c.jsonl", "/project", 100);
    const wanted = await session("2026-01-01_a.jsonl", "/project", 300);
    await session("2026-01-02_b.jsonl", "/project", 200);
    await session("2026-01-09_other.jsonl", "/elsewhere", 900);
    await file("2026-01-09_empty.jsonl", "", 901);
    await file("2026-01-09_foreign.jsonl", '{"type":"package","cwd":"/project"}\n', 902);
    await file("2026-01-09_text.jsonl", "not JSON\n", 903);
    await file("2026-01-09_null.jsonl", "null\n", 904);
    await file("2026-01-09_note.txt", '{"type":"session","cwd":"/project"}\n', 905);
    await mkdir(join(folder(), "2026-01-09_folder.jsonl"));
    await symlink(join(folder(), "gone"), join(folder(), "2026-01-09_dangling.jsonl"));
    await chmod(await session("2026-01-09_secret.jsonl", "/elsewhere", 906), 0);
    expect(findLatestSession(folder(), "/project")).toBe(wanted);
  });

  test("written in the same instant: the one that was begun last", async () => {
    await session("2026-01-01T00-00-00-000Z_a.jsonl", "/project", 100);
    const wanted = await session("2026-01-01T00-00-00-001Z_b.jsonl", "/project", 100);
    expect(findLatestSession(folder(), "/project")).toBe(wanted);
  });

  test("is none without a folder, and none of another working folder", async () => {
    expect(findLatestSession(folder(), "/project")).toBeUndefined();
    await session("2026-01-01_a.jsonl", "/project/sub", 1);
    expect(findLatestSession(folder(), "/project")).toBeUndefined();
  });
});

test("sessions are found by id and by its beginning; a whole id wins over longer ones", async () => {
  const ab = await session("2026-01-01_ab.jsonl", "/project", 1);
  const abc = await session("2026-01-01_abc.jsonl", "/project", 1);
  const a_b = await session("2026-01-01_x_b.jsonl", "/project", 1);
  expect(findSessionsById(folder(), "a").sort()).toEqual([ab, abc]);
  expect(findSessionsById(folder(), "ab")).toEqual([ab]);
  expect(findSessionsById(folder(), "x_b")).toEqual([a_b]);
  expect(findSessionsById(folder(), "b")).toEqual([]);
  expect(findSessionsById(join(folder(), "gone"), "a")).toEqual([]);
});
