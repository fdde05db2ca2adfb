import { execFileSync } from "node:child_process";
import {
  appendFile,
  chmod,
  chown,
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  truncate,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { deviceIn } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { Conversation } from "../../src/conversation/conversation.ts";
import { userMessage } from "../helpers/messages.ts";
import { readLines, useWorkspace } from "../helpers/workspace.ts";
import { entriesOf, fileAt, openToWrite, sessionText, textsIn } from "./helpers.ts";

const workspace = useWorkspace();
const folder = () => join(workspace.root, "sessions");
const path = () => join(folder(), "session.jsonl");

/** A session with two messages in its file, one from before it was opened. */
async function openSession(): Promise<Conversation> {
  await mkdir(folder());
  await writeFile(path(), sessionText(["one"]));
  const conversation = await openToWrite(path());
  await conversation.appendMessage(userMessage("two"));
  return conversation;
}

/** The file has one header, and each entry of the conversation once, in this order. */
async function expectWhole(conversation: Conversation): Promise<void> {
  const lines = await readLines(path());
  expect(lines).toEqual(JSON.parse(JSON.stringify([conversation.header, ...(await entriesOf(conversation))])));
}

describe("SE-021 a file that something was done to is whole again with the next append", () => {
  test.each<[string, () => Promise<unknown>]>([
    ["deleted", () => rm(path())],
    ["deleted with its folder", () => rm(folder(), { recursive: true })],
    ["moved with its folder", () => rename(folder(), join(workspace.root, "elsewhere"))],
    ["emptied", () => truncate(path())],
    ["cut off in its header", () => truncate(path(), 20)],
    ["cut off after its header", () => truncate(path(), sessionText([]).length)],
    ["cut off in an entry", async () => truncate(path(), (await readFile(path())).length - 10)],
    ["replaced by an empty file", () => rm(path()).then(() => writeFile(path(), ""))],
    ["replaced by what it was earlier", () => rm(path()).then(() => writeFile(path(), sessionText(["one"])))],
    ["replaced by a copy of it", () => copyFile(path(), `${path()}.x`).then(() => rename(`${path()}.x`, path()))],
  ])("%s", async (name, act) => {
    const conversation = await openSession();
    await act();
    await conversation.appendMessage(userMessage("three"));
    await conversation.appendMessage(userMessage("four"));
    expect(await textsIn(path())).toEqual(["one", "two", "three", "four"]);
    if (name !== "cut off in an entry") await expectWhole(conversation);
    await conversation.close();
    expect((await readdir(folder())).filter((file) => file !== "session.jsonl")).toEqual([]);
  });

  test("a new session's file that was deleted before its second message", async () => {
    const conversation = Conversation.create(fileAt(path()), { cwd: "/work" });
    await conversation.append({ type: "model_change", provider: "p", modelId: "m" });
    await conversation.appendMessage(userMessage("one"));
    await rm(path());
    await conversation.appendMessage(userMessage("two"));
    await expectWhole(conversation);
    await conversation.close();
  });
});

test("SE-021 what another program has appended stays, also half a line of it", async () => {
  const conversation = await openSession();
  const foreign = '{"type":"note","id":"f0000001","parentId":null}\n{"type":"no';
  await appendFile(path(), foreign);
  await conversation.appendMessage(userMessage("three"));
  expect(await readFile(path(), "utf8")).toContain(`${foreign}\n{"type":"message"`);
  expect(await textsIn(path())).toEqual(["one", "two", "three"]);
});

test.each([
  ["another session", sessionText(["foreign"], "s-2")],
  ["something else", "notes\n"],
  ["a newer format", sessionText(["one"]).replace('"version":3', '"version":4')],
])("SE-021 %s in the file's place is left as it is and reported, until it is moved away", async (_name, content) => {
  const conversation = await openSession();
  await writeFile(path(), content);
  const error = {
    code: "write_failed",
    message: expect.stringContaining(`${path()}: another program has replaced its content. Move it away`),
  };
  await expect(conversation.appendMessage(userMessage("three"))).rejects.toMatchObject(error);
  await expect(conversation.appendMessage(userMessage("four"))).rejects.toMatchObject(error);
  expect(await readFile(path(), "utf8")).toBe(content);
  await rename(path(), `${path()}.foreign`);
  await conversation.appendMessage(userMessage("five"));
  await expectWhole(conversation);
});

test("SE-021 a folder in the file's place is reported, and the file comes when it is gone", async () => {
  const conversation = await openSession();
  await rm(path());
  await mkdir(path());
  await expect(conversation.appendMessage(userMessage("three"))).rejects.toMatchObject({
    code: "write_failed",
    message: expect.stringContaining("EISDIR"),
  });
  await rm(path(), { recursive: true });
  await conversation.appendMessage(userMessage("four"));
  await expectWhole(conversation);
});

describe("SE-021 what is put in the file's place takes no entries, waits for nobody, and the file comes when it is gone", () => {
  const kinds: [name: string, make: () => unknown, said: string][] = [
    [
      "a link to a device",
      () => symlink(deviceIn(folder(), "null"), path()),
      "it is a link, and a regular file is needed (EFTYPE)",
    ],
    ["a pipe", () => execFileSync("mkfifo", [path()]), "it is a pipe, and a regular file is needed (EFTYPE)"],
    ["a link to another session", () => symlink("copy.jsonl", path()), "it is a link, and a regular file is needed (EFTYPE)"],
  ];

  test.each(kinds)("%s", async (_name, make, said) => {
    const conversation = await openSession();
    const copy = join(folder(), "copy.jsonl");
    await copyFile(path(), copy);
    const before = await readFile(copy, "utf8");
    await rm(path());
    await make();
    await expect(conversation.appendMessage(userMessage("three"))).rejects.toMatchObject({
      code: "write_failed",
      message: `Cannot write to the session file ${path()}: ${said}. Move it away; then pi writes the session again.`,
    });
    expect(conversation.isBehind).toBe(true);
    expect(await readFile(copy, "utf8")).toBe(before);
    await rm(path());
    await conversation.appendMessage(userMessage("four"));
    expect(conversation.isBehind).toBe(false);
    await expectWhole(conversation);
  });
});

describe("SE-021 a folder that became read-only", () => {
  /** Permissions do not bind root, so it becomes somebody else for the test. */
  async function withPermissions(act: () => Promise<void>): Promise<void> {
    const isRoot = process.geteuid?.() === 0;
    const nobody = 65534;
    if (isRoot) {
      await chown(workspace.root, nobody, nobody);
      process.seteuid?.(nobody);
    }
    try {
      await act();
    } finally {
      await chmod(folder(), 0o700);
      if (isRoot) process.seteuid?.(0);
    }
  }

  const denied = { code: "write_failed", message: expect.stringContaining("session.jsonl: EACCES. ") };

  test("before the first message: nothing is left there, and all is written when it can be", () =>
    withPermissions(async () => {
      await mkdir(folder(), { mode: 0o500 });
      const conversation = Conversation.create(fileAt(path()), { cwd: "/work" });
      await expect(conversation.appendMessage(userMessage("one"))).rejects.toMatchObject(denied);
      expect(await readdir(folder())).toEqual([]);
      await chmod(folder(), 0o700);
      await conversation.appendMessage(userMessage("two"));
      await expectWhole(conversation);
      await conversation.close();
    }));

  test("before it was opened: the session can be read, and is not written to without a lock", () =>
    withPermissions(async () => {
      await (await openSession()).close();
      await chmod(folder(), 0o500);
      const before = await readFile(path(), "utf8");
      const conversation = await openToWrite(path());
      expect(conversation.nodes).toHaveLength(2);
      await expect(conversation.appendMessage(userMessage("three"))).rejects.toMatchObject(denied);
      expect(await readFile(path(), "utf8")).toBe(before);
      await chmod(folder(), 0o700);
      await conversation.appendMessage(userMessage("four"));
      await expectWhole(conversation);
      await conversation.close();
    }));

  test("while it is open: the file is still written to, and letting go of it does not fail", () =>
    withPermissions(async () => {
      const conversation = await openSession();
      await chmod(folder(), 0o500);
      await conversation.appendMessage(userMessage("three"));
      await expectWhole(conversation);
      await conversation.close();
    }));
});
