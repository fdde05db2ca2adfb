import { chmod, lstat, readFile, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FileSessionStore } from "../../src/conversation/file-store.ts";
import type { FileRestore } from "../../src/protocol/data.ts";
import { localFiles } from "../../src/tools/files/local-files.ts";
import { useWorkspace } from "../helpers/workspace.ts";
import { bash, change, commitAll, edit, git, openObedient, readTree, write } from "./changing-session.ts";

const workspace = useWorkspace();
const inWork = (path: string) => join(workspace.cwd, path);
const none = { conflicts: [], notCovered: [] };

test("a turn is undone, then the one before, and both are taken back", async () => {
  await workspace.write("work/a.txt", "one\n");
  const session = await openObedient(workspace);
  const start = await readTree(workspace.cwd);
  await change(session, edit("a.txt", "one", "two"), write("deep/er/b.txt", "new"));
  const first = await readTree(workspace.cwd);
  await change(session, edit("a.txt", "two", "three"));
  const second = await readTree(workspace.cwd);

  expect(await session.undo()).toEqual({ ...none, restored: [{ path: inWork("a.txt"), action: "replaced" }] });
  expect(await readTree(workspace.cwd)).toEqual(first);
  await session.undo();
  expect(await readTree(workspace.cwd)).toEqual(start);
  // The folders that were created for the file are gone, too.
  await expect(lstat(inWork("deep"))).rejects.toThrow("ENOENT");
  await expect(session.undo()).rejects.toMatchObject({ code: "nothing_to_undo" });
  await session.redo();
  expect(await readTree(workspace.cwd)).toEqual(first);
  await session.redo();
  expect(await readTree(workspace.cwd)).toEqual(second);
  await expect(session.redo()).rejects.toMatchObject({ code: "nothing_to_undo" });
});

test("the model reads which files an undo has changed", async () => {
  const session = await openObedient(workspace);
  await change(session, write("a.txt", "new"));
  await session.undo();
  const note = session.messages.at(-1);
  expect(note).toMatchObject({ role: "custom", customType: "pikit.undo", content: expect.stringContaining("a.txt (removed)") });
});

test("a file that something else has changed is left, unless it is forced; then that change can be brought back", async () => {
  await workspace.write("work/a.txt", "one\n");
  await workspace.write("work/b.txt", "one\n");
  const session = await openObedient(workspace);
  await change(session, edit("a.txt", "one", "two"), edit("b.txt", "one", "two"));
  await writeFile(inWork("b.txt"), "mine\n");

  const conflicts = [{ path: inWork("b.txt"), reason: "it has changed since" }];
  const restored = [{ path: inWork("a.txt"), action: "replaced" }];
  expect(await session.undo({ dryRun: true })).toEqual({ restored, conflicts, notCovered: [] });
  expect(await readFile(inWork("a.txt"), "utf8")).toBe("two\n");
  expect(await session.undo()).toEqual({ restored, conflicts, notCovered: [] });
  expect(await readFile(inWork("b.txt"), "utf8")).toBe("mine\n");
  // The turn is not undone yet, so this is its rest.
  expect(await session.undo({ force: true })).toEqual({ ...none, restored: [{ path: inWork("b.txt"), action: "replaced" }] });
  expect(await readFile(inWork("b.txt"), "utf8")).toBe("one\n");
  await session.redo();
  expect(await readFile(inWork("a.txt"), "utf8")).toBe("two\n");
  expect(await readFile(inWork("b.txt"), "utf8")).toBe("mine\n");
});

test("what something else has changed between two changes of tools is not overwritten", async () => {
  const session = await openObedient(workspace);
  await change(session, write("a.txt", "one"));
  await writeFile(inWork("a.txt"), "mine");
  await change(session, write("a.txt", "two"));
  await session.undo();
  expect(await readFile(inWork("a.txt"), "utf8")).toBe("mine");
  const reason = "something else has changed it between two changes of tools";
  expect(await session.undo()).toMatchObject({ restored: [], conflicts: [{ path: inWork("a.txt"), reason }] });
  expect(await readFile(inWork("a.txt"), "utf8")).toBe("mine");
});

test("a file that a tool has created, and the user has changed, is not removed", async () => {
  const session = await openObedient(workspace);
  await change(session, write("a.txt", "one"));
  await writeFile(inWork("a.txt"), "mine");
  expect(await session.undo()).toMatchObject({ restored: [], conflicts: [{ path: inWork("a.txt") }] });
  expect(await readFile(inWork("a.txt"), "utf8")).toBe("mine");
});

test("permissions, links, binary and empty files come back as they were", async () => {
  const bytes = Buffer.from([0, 255, 13, 10, 128, 0]);
  for (const [name, content] of Object.entries({ run: "#!/bin/sh\n", binary: bytes, empty: "", target: "t\n" })) {
    await workspace.write(`work/${name}`, content);
  }
  await chmod(inWork("run"), 0o750);
  await symlink("target", inWork("link"));
  commitAll(workspace.cwd);
  await writeFile(inWork("binary"), Buffer.concat([bytes, bytes]));
  await symlink("nowhere", inWork("dangling"));
  const session = await openObedient(workspace);
  const start = await readTree(workspace.cwd);
  await change(
    session,
    write("link", "through the link"),
    write("run", "other"),
    bash("chmod -x run; rm link dangling; echo file > link; printf x > binary; rm empty; ln -s run new"),
  );
  expect(await session.undo()).toMatchObject(none);
  expect(await readTree(workspace.cwd)).toEqual(start);
});

test("the index, the stash, the refs and the objects of the user stay byte for byte, and ignored files are never removed", async () => {
  await workspace.write("work/clean.txt", "clean\n");
  await workspace.write("work/gone.txt", "gone\n");
  await workspace.write("work/.gitignore", "ignored\n");
  await workspace.write("work/.gitattributes", "*.bin filter=mark\n");
  await workspace.write("work/b.bin", "bin\n");
  commitAll(workspace.cwd);
  await writeFile(inWork("clean.txt"), "stashed\n");
  git(workspace.cwd, "stash", "-q");
  await writeFile(inWork("clean.txt"), "staged\n");
  git(workspace.cwd, "add", "clean.txt");
  await writeFile(inWork("clean.txt"), "dirty\n");
  await workspace.write("work/ignored", "secret\n");
  await workspace.write("work/dirty.txt", "untracked\n");
  // Programs of the repository that git would run.
  for (const [key, name] of [
    ["filter.mark.clean", "filtered"],
    ["core.fsmonitor", "monitored"],
  ] as const) {
    git(workspace.cwd, "config", key, `touch ${join(workspace.root, name)}; cat`);
  }
  await workspace.write("work/.git/hooks/post-index-change", `#!/bin/sh\ntouch ${join(workspace.root, "hooked")}\n`);
  await chmod(inWork(".git/hooks/post-index-change"), 0o755);
  const before = await readTree(inWork(".git"));
  const start = await readTree(workspace.cwd);

  const session = await openObedient(workspace);
  await change(
    session,
    bash("echo x >> clean.txt; rm gone.txt .gitignore; echo y > dirty.txt; mkdir d; echo z > d/new; touch b.bin"),
  );
  expect(await session.undo()).toMatchObject(none);
  expect(await readTree(workspace.cwd)).toEqual(start);
  expect(await readTree(inWork(".git"))).toEqual(before);
  expect(Object.keys(await readTree(workspace.root)).filter((name) => /^(?:filtered|monitored|hooked)$/.test(name))).toEqual([]);
});

test("untracked files of a folder that became a link to itself come back", async () => {
  commitAll(workspace.cwd);
  await workspace.write("work/d/b.txt", "untracked\n");
  const session = await openObedient(workspace);
  const start = await readTree(workspace.cwd);
  await change(session, bash("rm -r d; ln -s d d"));
  expect(await session.undo()).toMatchObject(none);
  expect(await readTree(workspace.cwd)).toEqual(start);
});

test("files that git converts come back as they were, or are conflicts", async () => {
  await workspace.write("work/.gitattributes", "*.txt text eol=crlf\n*.big filter=lfs\n");
  await workspace.write("work/a.txt", "one\r\ntwo\r\n");
  await workspace.write("work/b.big", "pointer\n");
  commitAll(workspace.cwd);
  // Older than the index, so that git trusts what it has noted about them.
  git(workspace.cwd, "-c", "core.checkStat=minimal", "status");
  const session = await openObedient(workspace);
  await change(session, bash("touch -d '1 hour ago' a.txt b.big; git update-index --refresh; echo x > a.txt; echo y > b.big"));
  await session.undo();
  await change(session, bash("git add -A; touch -d '1 hour ago' a.txt b.big; git update-index --refresh"));
  await change(session, bash("printf 'three' > a.txt; echo z > b.big"));
  const result = await session.undo();
  expect(result.conflicts).toEqual([{ path: inWork("b.big"), reason: "its content before was not kept" }]);
});

test("without git, write and edit are undone, and the commands of the turn are listed", async () => {
  const session = await openObedient(workspace);
  await change(session, write("a.txt", "one"), bash("ls -l"), bash("echo x > b.txt"));
  expect(await session.undo()).toEqual({
    restored: [{ path: inWork("a.txt"), action: "removed" }],
    conflicts: [],
    notCovered: [{ command: "echo x > b.txt", reason: "the working folder is not in a git working tree" }],
  });
  expect(await readTree(workspace.cwd)).toEqual({ "b.txt": "644 x\n" });
});

test("a command whose files are above the budget runs, and its first result says that it cannot be undone", async () => {
  commitAll(workspace.cwd);
  await workspace.write("work/untracked.txt", "more than ten bytes");
  const session = await openObedient(workspace, {}, { commandBytes: 10 });
  await change(session, bash("echo 1 > a"), bash("echo 2 > a"));
  const details = session.messages.flatMap((message) => (message.role === "toolResult" ? [message.details] : []));
  const reason = `the changed and untracked files of ${workspace.cwd} are too large`;
  expect(details).toEqual([
    expect.objectContaining({ changesNotKept: `What this command changes cannot be undone: ${reason}.` }),
    expect.not.objectContaining({ changesNotKept: expect.anything() }),
  ]);
  await change(session, write("b", "b"));
  expect(await session.undo()).toMatchObject({ notCovered: [] });
  await expect(session.undo()).rejects.toMatchObject({ code: "nothing_to_undo" });
});

test("a file above 16 MB is not kept: it stays, even if it is forced", async () => {
  await workspace.write("work/large", "");
  await truncate(inWork("large"), 17 * 1024 * 1024);
  const session = await openObedient(workspace);
  await change(session, write("large", "small"));
  const conflicts = [{ path: inWork("large"), reason: "its content before was not kept" }];
  expect(await session.undo({ force: true })).toMatchObject({ restored: [], conflicts });
  expect(await readFile(inWork("large"), "utf8")).toBe("small");
});

test("a large file that a command has created is removed only if it is forced", async () => {
  commitAll(workspace.cwd);
  const session = await openObedient(workspace);
  await change(session, bash("truncate -s 17000000 large; echo x > a"));
  expect(await session.undo()).toMatchObject({ restored: [{ path: inWork("a") }], conflicts: [{ path: inWork("large") }] });
  expect(await session.undo({ force: true })).toMatchObject({ restored: [{ path: inWork("large"), action: "removed" }] });
});

test("above the limit of a session the oldest changes are dropped, and the latest can still be undone", async () => {
  const session = await openObedient(workspace, {}, { maxBytes: 20_000 });
  const noise = (seed: number) =>
    Array.from({ length: 20_000 }, (_, i) =>
      Math.imul(seed + i, 0x9e3779b1)
        .toString(36)
        .slice(-2),
    ).join("");
  for (let i = 1; i <= 8; i += 1) await change(session, write("a.txt", noise(i * 100_000)));
  const [first] = await session.history.branchPoints();
  await session.undo();
  expect(await readFile(inWork("a.txt"), "utf8")).toBe(noise(700_000));
  const move = session.history.branch(first?.entryId ?? "", { restoreFiles: true }).then(() => "moved");
  await expect(move).rejects.toMatchObject({ code: "nothing_to_undo" });
  expect(session.history.leafId).not.toBeNull();
});

test("a branch with restoreFiles takes the files back to that message; a fork can undo what its source has done", async () => {
  const session = await openObedient(workspace);
  for (const content of ["one", "two", "three"]) await change(session, write("a.txt", content));
  const [, second] = await session.history.branchPoints();
  let result: FileRestore | undefined;
  const onFilesRestored = (restored: FileRestore) => {
    result = restored;
  };
  await session.history.branch(second?.entryId ?? "", { restoreFiles: true, onFilesRestored });
  expect(result).toEqual({ ...none, restored: [{ path: inWork("a.txt"), action: "replaced" }] });
  expect(await readFile(inWork("a.txt"), "utf8")).toBe("one");
  await change(session, write("a.txt", "other"));
  await session.history.clone();
  await session.undo();
  expect(await readFile(inWork("a.txt"), "utf8")).toBe("one");
  await session.undo();
  await expect(readFile(inWork("a.txt"))).rejects.toThrow("ENOENT");
});

test("a removed session leaves nothing, and a session in memory keeps nothing", async () => {
  const session = await openObedient(workspace);
  await change(session, write("a.txt", "one"));
  const file = session.sessionFile ?? "";
  await session.dispose();
  expect(Object.keys(await readTree(join(file, ".."))).length).toBeGreaterThan(1);
  new FileSessionStore(join(file, "..")).remove(file);
  expect(await readTree(join(file, ".."))).toEqual({});

  const inMemory = await openObedient(workspace, { session: "memory" });
  await change(inMemory, write("a.txt", "two"));
  await expect(inMemory.undo()).rejects.toMatchObject({ code: "nothing_to_undo" });
});

test("files of a host are read and written through its file access; without `remove` a created file stays", async () => {
  const written: string[] = [];
  const { remove: _remove, ...others } = localFiles;
  const files = {
    ...others,
    replace(path: string, content: string | Uint8Array, signal: AbortSignal) {
      written.push(path);
      return localFiles.replace(path, content, signal);
    },
  };
  await workspace.write("work/a.txt", "one");
  const session = await openObedient(workspace, { files });
  await change(session, edit("a.txt", "one", "two"), write("b.txt", "new"));
  expect(await session.undo()).toMatchObject({
    restored: [{ path: inWork("a.txt") }],
    conflicts: [{ path: inWork("b.txt"), reason: "these files cannot be removed" }],
  });
  expect(written).toEqual([inWork("a.txt"), inWork("b.txt"), inWork("a.txt")]);
});

test("a link in the place of a folder does not lead an undo to other files", async () => {
  const session = await openObedient(workspace);
  await change(session, write("d/a.txt", "one"));
  await workspace.write("work/other/a.txt", "one");
  await rm(inWork("d"), { recursive: true });
  await symlink("other", inWork("d"));
  expect(await session.undo()).toMatchObject({ restored: [] });
  expect(await readFile(inWork("other/a.txt"), "utf8")).toBe("one");
});
