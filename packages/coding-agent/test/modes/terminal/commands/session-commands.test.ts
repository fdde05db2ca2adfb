import { readFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "@pikit/ai";
import { expect, test } from "vitest";
import { sessionFolder } from "../../../../src/config/paths.ts";
import { FileSessionStore } from "../../../../src/conversation/file-store.ts";
import { sessionsInFiles } from "../../../../src/conversation/stored-sessions.ts";
import { pickEarlierMessage } from "../../../../src/modes/terminal/commands/branch-commands.ts";
import { pickSession } from "../../../../src/modes/terminal/commands/pick-session.ts";
import { typedTextOf } from "../../../../src/prompt/typed-text.ts";
import { FakeStage, keys } from "../../../helpers/fake-stage.ts";
import { createScriptedSession, openSession } from "../../../helpers/sessions.ts";
import { runTyped, useAgentFolder } from "../../../helpers/terminal-commands.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();

useAgentFolder(workspace);

async function open(...prompts: string[]): Promise<FakeStage> {
  const { session } = await createScriptedSession(
    workspace,
    Array.from({ length: 20 }, (_, index) => ({ text: `Answer ${index + 1}.` })),
  );
  for (const prompt of prompts) await session.prompt(prompt);
  return new FakeStage(session);
}

function texts(stage: FakeStage): string[] {
  return stage.session.messages.map((message) => (message.role === "user" ? typedTextOf(message) : "answer"));
}

/** Stores a session in a folder of the workspace. */
async function store(folder: string, prompt: string, { name, ageMs = 0 }: { name?: string; ageMs?: number } = {}): Promise<string> {
  await workspace.write(`${folder}/.keep`, "");
  const model = await workspace.script({ text: "Yes." });
  const { session } = await openSession(workspace, {
    cwd: join(workspace.root, folder),
    model,
    ...(name === undefined ? {} : { name }),
  });
  await session.prompt(prompt);
  await session.dispose();
  const path = session.sessionFile ?? "";
  const time = new Date(Date.now() - ageMs);
  await utimes(path, time, time);
  return path;
}

test("/resume lists the sessions of this folder with name, first prompt and age, and opens the chosen one", async () => {
  const path = await store("work", "Buy\nmilk", { name: "Shopping", ageMs: 7_200_000 });
  await store("other", "Elsewhere");
  const stage = await open("Hello");
  const ended = runTyped(stage, "/resume");
  await stage.shows("Shopping: Buy milk");
  await stage.shows("Hello");
  expect(stage.text).toContain("── Sessions of this folder");
  expect(stage.text).toContain("2 hours ago");
  expect(stage.text).not.toContain("Elsewhere");
  stage.type("milk");
  stage.press(keys.enter);
  await ended;
  expect(stage.session.sessionFile).toBe(path);
  expect(stage.shown).toBe(1);
  expect(texts(stage)).toEqual(["Buy\nmilk", "answer"]);
});

test("Tab shows the sessions of all folders, and the working folder moves with the session", async () => {
  await store("other", "Elsewhere");
  const stage = await open("Hello");
  const ended = runTyped(stage, "/resume");
  await stage.shows("Tab all folders");
  stage.press(keys.tab);
  await stage.shows("Elsewhere");
  expect(stage.text).toContain("Sessions of all folders");
  stage.type("elsewhere");
  stage.press(keys.enter);
  await ended;
  expect(stage.session.cwd).toBe(join(workspace.root, "other"));
  expect(stage.notes).toEqual([`The working folder is ${join(workspace.root, "other")}.`]);
});

test("a session can be chosen before one is open; an empty folder says so", async () => {
  const path = await store("work", "Buy milk");
  const stage = new FakeStage();
  const { agentDir } = workspace;
  const picked = pickSession(stage, { sessions: sessionsInFiles({ folder: sessionFolder(workspace.cwd, agentDir), agentDir }) });
  await stage.shows("Buy milk");
  stage.press(keys.enter);
  expect(await picked).toBe(path);
  const none = pickSession(stage, { sessions: sessionsInFiles({ folder: join(workspace.root, "nowhere"), agentDir }) });
  await stage.shows("This folder has no sessions yet.");
  stage.press(keys.esc);
  expect(await none).toBeUndefined();
});

test("/resume lists the sessions of the store, if there is one, and ends with its error when it cannot be read", async () => {
  const stored = new FileSessionStore(join(workspace.root, "store"));
  const { session } = await createScriptedSession(workspace, [{ text: "Yes." }], { store: stored });
  await session.prompt("In the store");
  await session.dispose();
  await store("work", "In a file");
  const { session: current } = await createScriptedSession(workspace, [{ text: "Yes." }], { store: stored });
  const stage = new FakeStage(current);
  stage.store = stored;
  const ended = runTyped(stage, "/resume");
  await stage.shows("In the store");
  expect(stage.text).not.toContain("In a file");
  stage.press(keys.enter);
  await ended;
  expect(texts(stage)).toEqual(["In the store", "answer"]);
  stored.list = () => Promise.reject(new Error("The database is away."));
  await runTyped(stage, "/resume");
  expect(stage.notes).toEqual(["error: The database is away."]);
  expect(stage.hasPanel).toBe(false);
});

test("a session that is open elsewhere is refused, and the present one stays", async () => {
  const { session: other } = await createScriptedSession(workspace, [{ text: "Yes." }]);
  await other.prompt("Taken");
  const stage = await open("Hello");
  const { sessionFile } = stage.session;
  const ended = runTyped(stage, "/resume");
  await stage.shows("Taken");
  stage.type("taken");
  stage.press(keys.enter);
  await ended;
  expect(stage.notes).toEqual([expect.stringContaining("error: ")]);
  expect(stage.session.sessionFile).toBe(sessionFile);
});

test("/new begins an empty session, /name names it, /export writes it", async () => {
  const stage = await open("Hello");
  await runTyped(stage, "/new");
  expect(texts(stage)).toEqual([]);
  expect(stage.shown).toBe(1);
  expect(stage.notes).toEqual(["This is a new session. The former one is unchanged."]);
  await runTyped(stage, "/name A  trip");
  expect(stage.session.history.name).toBe("A  trip");
  const named = runTyped(stage, "/name");
  await stage.shows("> A  trip▏");
  stage.type(" to Rome");
  stage.press(keys.enter);
  await named;
  expect(stage.session.history.name).toBe("A  trip to Rome");
  await stage.session.prompt("Where?");
  await runTyped(stage, "/export page.html");
  expect(stage.notes.at(-1)).toBe(`The conversation is in ${join(workspace.cwd, "page.html")}.`);
  expect(await readFile(join(workspace.cwd, "page.html"), "utf8")).toContain("Where?");
});

test("/undo and /redo put files back and forth; when nothing is left, that is no fault", async () => {
  const write = { name: "write", arguments: { path: "a.txt", content: "after" } };
  const { session } = await createScriptedSession(workspace, [{ toolCalls: [write] }, { text: "Done." }]);
  await workspace.write("work/a.txt", "before");
  await session.prompt("Change it");
  const stage = new FakeStage(session);
  const file = () => readFile(join(workspace.cwd, "a.txt"), "utf8");
  await runTyped(stage, "/undo");
  expect(await file()).toBe("before");
  await runTyped(stage, "/redo");
  expect(await file()).toBe("after");
  await runTyped(stage, "/redo");
  expect(stage.notes.at(-1)).toMatch(/^There is no undo to take back/);
  await runTyped(stage, "/undo");
  await runTyped(stage, "/undo");
  expect(stage.notes.at(-1)).toBe("No change of a tool is left to undo.");
});

test("/compact summarises with the instructions, and says why it cannot; its result is shown by the view", async () => {
  const prompts: string[] = [];
  const script = (context: Context) => {
    prompts.push(JSON.stringify(context.messages));
    return { text: "Summary." };
  };
  const { session, events } = await createScriptedSession(workspace, script);
  const stage = new FakeStage(session);
  await runTyped(stage, "/compact");
  expect(stage.notes).toEqual([expect.stringContaining("error: There is nothing to compact")]);
  await session.prompt("Hello");
  await runTyped(stage, "/compact only the names");
  expect(prompts.at(-1)).toContain("only the names");
  expect(events.at(-1)).toMatchObject({ type: "compaction_end", result: { summary: expect.stringContaining("Summary.") } });
  expect(stage.notes).toHaveLength(1);
});

test("going back to an earlier message branches before it and puts it in the editor", async () => {
  const stage = await open("One", "Two", "Three");
  const ended = pickEarlierMessage(stage);
  await stage.shows("Go back to before a message");
  expect(stage.lines().slice(2, 5)).toEqual(["❯ Three", "  Two", "  One"]);
  stage.press(keys.down, keys.enter);
  await ended;
  expect(texts(stage)).toEqual(["One", "answer"]);
  expect(stage.promptText).toBe("Two");
  expect(stage.shown).toBe(1);
});

test("without messages there is nothing to go back to", async () => {
  const stage = await open();
  for (const act of [() => pickEarlierMessage(stage), () => runTyped(stage, "/fork"), () => runTyped(stage, "/tree")]) await act();
  expect(stage.notes).toHaveLength(3);
  expect(stage.panels).toEqual([]);
});

test("/fork copies what is before a message into a new session", async () => {
  const stage = await open("One", "Two");
  const before = stage.session.sessionId;
  const ended = runTyped(stage, "/fork");
  await stage.shows("❯ Two");
  stage.press(keys.enter);
  await ended;
  expect(stage.session.sessionId).not.toBe(before);
  expect(texts(stage)).toEqual(["One", "answer"]);
  expect(stage.promptText).toBe("Two");
});

test("/tree shows the branches, marks the place of the conversation, and goes to another branch and back", async () => {
  const stage = await open("One", "Two", "Three");
  await stage.session.history.branch(2);
  await stage.session.prompt("Second");
  const go = async (...pressed: string[]) => {
    const ended = runTyped(stage, "/tree");
    await stage.shows("── Branches");
    const lines = stage.lines().slice(2, -1);
    stage.press(...pressed);
    await ended;
    return lines;
  };
  expect(await go(keys.up, keys.enter)).toEqual(["  One", "  │ Two", "  │ Three", "❯ │ Second ✓"]);
  expect(texts(stage)).toEqual(["One", "answer", "Two", "answer", "Three", "answer"]);
  expect(await go(keys.up, keys.enter)).toEqual(["  One", "  │ Two", "❯ │ Three ✓", "  │ Second"]);
  expect(texts(stage)).toEqual(["One", "answer", "Two", "answer"]);
  await stage.session.prompt("Another third");
  expect(texts(stage)).toEqual(["One", "answer", "Two", "answer", "Another third", "answer"]);
  expect(await go(keys.esc)).toHaveLength(5);
});

test("a session does not go to an entry that it does not have: there is no such place", async () => {
  const stage = await open("One");
  const { leafId } = stage.session.history;
  await expect(stage.session.history.goTo("nothing")).rejects.toMatchObject({ code: "not_found" });
  expect(stage.session.history.leafId).toBe(leafId);
});
