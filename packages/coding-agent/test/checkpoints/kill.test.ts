import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { openCheckpoints } from "../../src/checkpoints/open.ts";
import { Conversation } from "../../src/conversation/conversation.ts";
import { FileSessionStore } from "../../src/conversation/file-store.ts";
import type { FileRestore } from "../../src/protocol/data.ts";
import { useWorkspace } from "../helpers/workspace.ts";
import { bash, change, commitAll, edit, openObedient, readTree, write } from "./changing-session.ts";

const workspace = useWorkspace();

type Tree = Record<string, string>;

/** Makes the working folder as `readTree` has read it. */
async function writeTree(tree: Tree): Promise<void> {
  for (const name of await readdir(workspace.cwd)) {
    if (name !== ".git") await rm(join(workspace.cwd, name), { recursive: true });
  }
  for (const [name, content] of Object.entries(tree)) {
    const path = join(workspace.cwd, name);
    await mkdir(dirname(path), { recursive: true });
    const space = content.indexOf(" ");
    if (content.startsWith("-> ")) await symlink(content.slice(3), path);
    else {
      await writeFile(path, content.slice(space + 1), "latin1");
      await chmod(path, Number.parseInt(content.slice(0, space), 8));
    }
  }
}

/** A session that has ended: its file, its journal, and the states of the working folder. */
interface Ended {
  file: string;
  journal: string;
  records: { type: string }[];
  start: Tree;
  /** The files before and after each tool call. */
  calls: { before: Tree; after: Tree }[];
}

async function playSession(): Promise<Ended> {
  await workspace.write("work/a.txt", "one\n");
  commitAll(workspace.cwd);
  await workspace.write("work/dirty.txt", "dirty\n");
  const session = await openObedient(workspace);
  const start = await readTree(workspace.cwd);
  const calls: Ended["calls"] = [];
  let before = start;
  session.subscribe(async ({ type }) => {
    if (type !== "tool_execution_end") return;
    const after = await readTree(workspace.cwd);
    calls.push({ before, after });
    before = after;
  });
  await change(session, edit("a.txt", "one", "two"), write("d/b.txt", "new"));
  await change(session, bash("echo x >> a.txt; echo y > dirty.txt; echo z > c.txt"), edit("a.txt", "two", "three"));
  const file = session.sessionFile ?? "";
  await session.dispose();
  const journal = file.replace(/\.jsonl$/, ".files/changes.ndjson");
  const records = (await readFile(journal, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string });
  return { file, journal, records, start, calls };
}

/** Undoes all turns in a process of its own, so to say. */
async function undoAll(file: string, force = false): Promise<FileRestore[]> {
  const conversation = await Conversation.read(new FileSessionStore(dirname(file)), file);
  const checkpoints = openCheckpoints({
    agentDir: workspace.agentDir,
    settings: { commandMs: 600_000 },
    conversation: () => conversation,
    runsElsewhere: false,
    report: (problem) => expect.fail(problem),
  });
  const results: FileRestore[] = [];
  try {
    for (let turn = 0; turn < 3; turn += 1) results.push(await checkpoints.undo({ force }));
  } catch (error) {
    expect(error).toMatchObject({ code: "nothing_to_undo" });
  } finally {
    await conversation.close();
  }
  return results;
}

function encode(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join("");
}

test("whenever the process is killed, all that tools have changed until then can be undone", async () => {
  const { file, journal, records, start, calls } = await playSession();
  expect(records.map(({ type }) => type)).toEqual(["change", "change", "command", "changed", "change"]);
  const [first, second, third, fourth] = calls as [Ended["calls"][0], Ended["calls"][0], Ended["calls"][0], Ended["calls"][0]];
  // The records that are in the journal, and the files then: a record of a change comes before the change.
  const instants: [count: number, files: Tree][] = [
    ...[first.before, first.after].map((files): [number, Tree] => [1, files]),
    ...[second.before, second.after].map((files): [number, Tree] => [2, files]),
    [4, third.after],
    [5, fourth.before],
    [5, fourth.after],
  ];
  for (const [count, files] of instants) {
    for (const torn of ["", '{"type":"chan']) {
      await writeTree(files);
      await writeFile(journal, encode(records.slice(0, count)) + torn);
      const results = await undoAll(file);
      expect({ count, conflicts: results.flatMap(({ conflicts }) => conflicts) }).toEqual({ count, conflicts: [] });
      expect(await readTree(workspace.cwd)).toEqual(start);
    }
  }
});

test("changes of a command during which the process was killed are conflicts, and are undone if it is forced", async () => {
  const { file, journal, records, start, calls } = await playSession();
  const [, second, third] = calls;
  for (const force of [false, true]) {
    await writeTree(third?.after ?? {});
    await writeFile(journal, encode(records.slice(0, 3)));
    const results = await undoAll(file, force);
    const conflicts = results[0]?.conflicts.map(({ path }) => path).sort();
    const paths = ["a.txt", "c.txt", "dirty.txt"].map((name) => join(workspace.cwd, name));
    expect(conflicts).toEqual(force ? [] : paths);
    expect(results[0]?.notCovered).toEqual([{ command: expect.any(String), reason: "pi was ended during the command" }]);
    expect(await readTree(workspace.cwd)).toEqual(force ? start : third?.after);
  }
  // Nothing had happened yet.
  await writeTree(second?.after ?? {});
  await writeFile(journal, encode(records.slice(0, 3)));
  await undoAll(file);
  expect(await readTree(workspace.cwd)).toEqual(start);
});

test("an undo that was killed is completed by the next one", async () => {
  const { file, journal, records, start, calls } = await playSession();
  const end = calls.at(-1)?.after as Tree;
  await undoAll(file);
  const all = (await readFile(journal, "utf8"))
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string });
  const undone = all.slice(0, records.length + 1);
  expect(undone.at(-1)).toMatchObject({ type: "restore" });
  const half = calls[1]?.after as Tree;
  const names = ["a.txt", "dirty.txt", "c.txt"];
  for (let done = 0; done <= names.length; done += 1) {
    const files: Tree = { ...end };
    for (const name of names.slice(0, done)) {
      delete files[name];
      if (half[name] !== undefined) files[name] = half[name];
    }
    await writeTree(files);
    await writeFile(journal, encode(undone));
    const results = await undoAll(file);
    expect(results.flatMap(({ conflicts }) => conflicts)).toEqual([]);
    expect(await readTree(workspace.cwd)).toEqual(start);
  }
});
