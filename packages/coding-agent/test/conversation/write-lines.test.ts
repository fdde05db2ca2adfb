import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileSessionStore } from "../../src/conversation/file-store.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();
const folder = () => join(workspace.root, "sessions");
const store = () => new FileSessionStore(folder());

const header = { type: "session", version: 3, id: "s-1", timestamp: "2026-01-02T03:04:05.678Z", cwd: "/work" };
const entry = { type: "custom", customType: "x", id: "a", timestamp: "2026-01-02T04:00:00.000Z" };

async function* lines(...objects: object[]): AsyncGenerator<string[]> {
  yield objects.map((each) => JSON.stringify(each));
}

test("the file is private, has the name of a new session, and the time of its last entry, or else of its header", async () => {
  const path = await store().writeLines(lines(header, entry, { ...entry, id: "b", timestamp: 7 }));
  expect(path).toBe(join(folder(), "2026-01-02T03-04-05-678Z_s-1.jsonl"));
  const { mode, mtime } = await stat(path);
  expect([mode & 0o777, mtime.toISOString()]).toEqual([0o600, entry.timestamp]);
  const empty = await store().writeLines(lines({ ...header, id: "s-2" }));
  expect((await stat(empty)).mtime.toISOString()).toBe(header.timestamp);
  expect(await readdir(folder())).toHaveLength(2);
});

test.each([
  ["an id with a path in it", { ...header, id: "../../x" }, "has an id that cannot be part of a file name"],
  ["an id that is no text", { ...header, id: 7 }, "has an id that cannot be part of a file name"],
  ["a timestamp with a path in it", { ...header, timestamp: "/../x" }, "has a timestamp that is none of ISO 8601"],
  ["a folder that is no text", { ...header, cwd: 7 }, "has a cwd that is no text"],
  ["an older version", { ...header, version: 2 }, "is not a session header of version 3"],
  ["an entry in its place", entry, "is not a session header of version 3"],
])("a header with %s is refused", async (_title, first, problem) => {
  await expect(store().writeLines(lines(first))).rejects.toMatchObject({
    code: "write_failed",
    message: `Cannot store a session from these lines: line 1 ${problem}. Nothing was written.`,
  });
  expect(await readdir(workspace.root)).toEqual(["work"]);
});

test("a line that is no entry is named, and leaves no file and no lock", async () => {
  await expect(store().writeLines(lines(header, entry, []))).rejects.toMatchObject({
    message: expect.stringContaining("line 3 is not a session entry"),
  });
  expect(await readdir(folder())).toEqual([]);
});

test("a folder that cannot be made is an error that says so", async () => {
  await writeFile(folder(), "a file");
  await expect(store().writeLines(lines(header))).rejects.toMatchObject({
    code: "write_failed",
    message: expect.stringMatching(/^Cannot write the session file .*_s-1\.jsonl: .*Nothing was written\.$/),
  });
});

test("another file in the place of the new one stays", async () => {
  const place = join(folder(), "2026-01-02T03-04-05-678Z_s-1.jsonl");
  await mkdir(place, { recursive: true });
  await expect(store().writeLines(lines(header))).rejects.toMatchObject({ message: expect.stringContaining("exists already") });
});
