import { chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createScriptedModel } from "@pikit/ai";
import { expect, test } from "vitest";
import { commands } from "../../../../src/modes/terminal/commands/all-commands.ts";
import { copyText } from "../../../../src/modes/terminal/commands/copy-text.ts";
import {
  describeUnknownCommand,
  findCommand,
  listCompletedCommands,
} from "../../../../src/modes/terminal/commands/find-command.ts";
import { FakeStage, keys } from "../../../helpers/fake-stage.ts";
import { createScriptedSession, isToolStart, nextEvent, openSession } from "../../../helpers/sessions.ts";
import { runTyped, useAgentFolder } from "../../../helpers/terminal-commands.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();
useAgentFolder(workspace);

async function open(): Promise<FakeStage> {
  const { session } = await createScriptedSession(workspace, [{ text: "Answer." }, { text: "Another." }]);
  return new FakeStage(session);
}

test("names and aliases are unique, and every command has a description", () => {
  const names = commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  expect(new Set(names).size).toBe(names.length);
  for (const name of [
    "model",
    "thinking",
    "resume",
    "tree",
    "fork",
    "new",
    "name",
    "compact",
    "copy",
    "export",
    "cost",
    "todos",
    "settings",
    "reload",
    "help",
    "hotkeys",
    "queue",
    "login",
    "quit",
  ]) {
    expect(names).toContain(name);
  }
  expect(commands.filter(({ description }) => description === "")).toEqual([]);
});

test("docs/terminal.md lists the commands with their arguments", async () => {
  const text = await readFile(new URL("../../../../../../docs/terminal.md", import.meta.url), "utf8");
  const listed = [...text.matchAll(/^\| ((?:`\/[^`]+`(?:, )?)+) \|/gm)].map(([, calls = ""]) => calls.replaceAll("`", ""));
  const expected = commands.map(({ name, aliases = [], argument }) => {
    return [name, ...aliases].map((each) => `/${each}`).join(", ") + (argument === undefined ? "" : ` ${argument}`);
  });
  expect(listed.sort()).toEqual(expected.sort());
});

test.each([
  ["/model", "model", ""],
  ["/model  a b \n", "model", "a b"],
  ["/compact one\ntwo", "compact", "one\ntwo"],
  ["/exit", "quit", ""],
])("%j calls /%s", (text, name, args) => {
  expect(findCommand(text)).toMatchObject({ command: { name }, args });
});

test.each(["model", " /model", "/modelx", "/", "//model", "/usr/bin"])("%j calls no command", (text) => {
  expect(findCommand(text)).toBeUndefined();
});

test("a mistyped command gets the nearest name; paths, templates, skills and commands of extensions go to the session", async () => {
  await workspace.write("agent/prompts/review.md", "Review this.");
  const { session } = await openSession(workspace, {
    model: createScriptedModel({ script: [] }),
    extensions: [(pi) => pi.registerCommand("deploy", { handler: () => {} })],
  });
  const ask = (text: string) => describeUnknownCommand(session, text);
  expect(await ask("/modle")).toBe(
    'There is no command /modle. Did you mean "/model"? /help lists all. A space in front of it makes it a prompt.',
  );
  expect(await ask("/reveiw now")).toContain('Did you mean "/review"?');
  expect(await ask("/deplyo")).toContain('Did you mean "/deploy"?');
  expect(await ask("/xyzzy")).toBe("There is no command /xyzzy. /help lists all. A space in front of it makes it a prompt.");
  for (const text of [
    "/review this",
    "/deploy",
    "/reload",
    "/skill:missing",
    "/usr/bin is full",
    "/etc",
    "/tmp",
    "/a.txt",
    "/",
    "/ 2",
    "hello",
    "/2 + 3",
  ]) {
    expect([text, await ask(text)]).toEqual([text, undefined]);
  }
  const completed = await listCompletedCommands(session);
  const thinking = completed.find(({ name }) => name === "thinking");
  const levels = await thinking?.completeArguments?.("ma", new AbortController().signal);
  expect(levels?.map(({ value }) => value)).toEqual(["max"]);
  expect(completed.map(({ name }) => name)).toEqual(expect.arrayContaining(["model", "quit", "deploy", "review"]));
});

test("/help lists the commands of the terminal and of the session; /hotkeys the keys", async () => {
  await workspace.write("agent/prompts/review.md", "Review this.");
  const stage = await open();
  for (const columns of [40, 80]) {
    stage.rows = 100;
    stage.columns = columns;
    const help = runTyped(stage, "/help");
    await stage.shows("── Help");
    expect(stage.text).toContain("/model [name]");
    expect(stage.text).toContain("/review");
    stage.press(keys.esc);
    await help;
    const hotkeys = runTyped(stage, "/hotkeys");
    await stage.shows("── Keys");
    expect(stage.text).toContain("Shift-Enter");
    expect(stage.text).toContain("[newLine]");
    stage.press(keys.esc);
    await hotkeys;
  }
});

test("/cost and /todos print what there is", async () => {
  const stage = await open();
  await stage.session.prompt("Hello");
  await stage.session.todos.set([{ name: "Trip", tasks: [{ content: "Pack" }] }]);
  await runTyped(stage, "/cost");
  expect(stage.printed).toContain("This session, with all its branches");
  expect(stage.printed).toContain("messages  1 of yours, 1 answers, 0 tool calls");
  await runTyped(stage, "/todos");
  expect(stage.printed).toContain("- [ ] Pack");
});

test("/reload reads templates again; /quit ends", async () => {
  const stage = await open();
  await stage.session.listCommands();
  await workspace.write("agent/prompts/review.md", "Review this.");
  await runTyped(stage, "/reload");
  expect((await stage.session.listCommands()).map(({ name }) => name)).toContain("review");
  await runTyped(stage, "/quit");
  expect(stage.hasQuit).toBe(true);
});

test("/copy writes the last answer to the terminal's clipboard", async () => {
  const stage = await open();
  await runTyped(stage, "/copy");
  expect(stage.notes).toEqual(["There is no answer to copy yet."]);
  await stage.session.prompt("Hello");
  await runTyped(stage, "/copy");
  expect(stage.sequences).toEqual([`\u001b]52;c;${Buffer.from("Answer.").toString("base64")}\u0007`]);
  expect(stage.notes.at(-1)).toContain("The last answer is in the clipboard (by the terminal");
});

test("/copy means the last answer that has a text: a failed one has none", async () => {
  const answers = [{ text: "The answer." }, { error: { status: 401, message: "no" } }];
  const { session } = await createScriptedSession(workspace, answers, { session: "memory" });
  const stage = new FakeStage(session);
  await session.prompt("Hello");
  await session.prompt("Again").catch(() => undefined);
  await runTyped(stage, "/copy");
  expect(stage.sequences).toEqual([`\u001b]52;c;${Buffer.from("The answer.").toString("base64")}\u0007`]);
});

test("/copy finds the last answer also when a compaction has summarised it", async () => {
  const { session } = await createScriptedSession(workspace, [{ text: "The answer." }, { text: "A summary." }]);
  const stage = new FakeStage(session);
  await session.prompt("Hello");
  await session.compact();
  expect(session.messages.map(({ role }) => role)).not.toContain("assistant");
  await runTyped(stage, "/copy");
  expect(stage.sequences).toEqual([`\u001b]52;c;${Buffer.from("The answer.").toString("base64")}\u0007`]);
});

test("a text is copied with the programs of the desktop that work; a long one only with them", async () => {
  const sequences: string[] = [];
  const copied = join(workspace.root, "copied");
  for (const [name, script] of [
    ["wl-copy", "exit 1"],
    ["xclip", `cat > '${copied}'; env > '${copied}.env'`],
  ] as const) {
    await chmod(await workspace.write(`bin/${name}`, `#!/bin/sh\n${script}\n`), 0o755);
  }
  const environment = {
    PATH: `${join(workspace.root, "bin")}:${process.env.PATH}`,
    WAYLAND_DISPLAY: "w",
    DISPLAY: ":0",
    OPENAI_API_KEY: "sk-1",
  };
  const options = {
    cwd: workspace.cwd,
    environment,
    platform: "linux" as const,
    writeSequence: (text: string) => sequences.push(text),
  };
  expect(await copyText("kurz: 字", options)).toEqual(["the terminal", "xclip"]);
  expect(await readFile(copied, "utf8")).toBe("kurz: 字");
  expect(await readFile(`${copied}.env`, "utf8")).toContain("DISPLAY=:0");
  expect(await readFile(`${copied}.env`, "utf8")).not.toContain("sk-1");
  const long = "x".repeat(200_000);
  expect(await copyText(long, options)).toEqual(["xclip"]);
  expect(await readFile(copied, "utf8")).toBe(long);
  expect(sequences).toHaveLength(1);
  expect(await copyText(long, { ...options, environment: {} })).toEqual([]);
});

test("/queue takes a message back into the editor; one that was sent meanwhile is not taken", async () => {
  const script = [
    { text: "Wait.", toolCalls: [{ name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.02; done" } }] },
    ...Array(5).fill({ text: "Done." }),
  ];
  const { session } = await createScriptedSession(workspace, script);
  const stage = new FakeStage(session);
  await runTyped(stage, "/queue");
  expect(stage.notes).toEqual(["No message waits."]);
  const started = nextEvent(session, isToolStart);
  const run = session.prompt("Go.");
  await started;
  await session.queue("steer", { text: "First" });
  await session.queue("steer", { text: "Second" });
  await session.queue("followUp", { text: "Third" });
  const ended = runTyped(stage, "/queue");
  await stage.shows("Second  steers the run");
  expect(stage.text).toContain("Third   follows the run");
  stage.type("second");
  stage.press(keys.enter);
  await ended;
  expect(stage.promptText).toBe("Second");
  expect(session.queues.texts).toEqual({ steering: ["First"], followUp: ["Third"] });
  expect(await session.queues.take("steer", 0, "Another text")).toBeUndefined();
  const late = runTyped(stage, "/queue");
  await stage.shows("First");
  await workspace.write("work/go", "");
  await run;
  stage.press(keys.enter);
  await late;
  expect(stage.notes.at(-1)).toBe("warning: The model has got this message already.");
});
