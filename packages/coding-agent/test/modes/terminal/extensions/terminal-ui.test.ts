import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { isSane, type PtyOptions, type PtyProcess, useTerminals } from "../../../helpers/pty.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();
const extension = fileURLToPath(new URL("../../../fixtures/extensions/terminal-ui.ts", import.meta.url));
const startTerminal = useTerminals(workspace);

/** The script has a short name, so that the status line has room. */
async function start(
  answers: object[] = [{ text: "Hello." }],
  { path = extension, ...options }: PtyOptions & { path?: string } = {},
): Promise<PtyProcess> {
  await workspace.write("work/s.jsonl", answers.map((answer) => `${JSON.stringify(answer)}\n`).join(""));
  const pi = startTerminal(["--model", "script/s.jsonl", "-e", path], options);
  await pi.until(path === extension ? "Ask anything" : "0% of");
  return pi;
}

const enter = "\r";
const down = "\x1b[B";

test("a component takes the place of the editor, gets its keys, and gives a result; an editor with a text keeps it", async () => {
  const pi = await start();
  pi.type(`/pick${enter}`);
  await pi.until("> red of 80");
  pi.type(down);
  await pi.until("> green of 80");
  pi.type(enter);
  const lines = await pi.until("Picked green.");
  expect(lines.join("\n")).not.toContain("of 80");
  await pi.until("panel closed");
  await pi.until("Ask anything");
});

test("an overlay is a box of its width at its place", async () => {
  const pi = await start();
  pi.type(`/overlay${enter}`);
  const lines = await pi.until("[========]");
  expect(lines.find((line) => line.includes("[====="))).toBe(`${" ".repeat(68)}[========]`);
  pi.type("x");
  await pi.until("The overlay is closed.");
});

test("Ctrl-C pressed twice closes a component that takes no keys", async () => {
  const pi = await start();
  pi.type(`/stuck${enter}`);
  await pi.until("no way out");
  pi.type("\x03\x03");
  await pi.until("Closed with undefined.");
  await pi.until("Ask anything");
});

test("a component that fails is removed, and the error is told", async () => {
  const pi = await start();
  pi.type(`/broken${enter}`);
  await pi.until("no picture");
  await pi.until("Ask anything");
});

test("widgets, a footer and a header are drawn; what they must not write is removed; they are taken away again", async () => {
  const pi = await start();
  pi.type(`/places${enter}`);
  let lines = await pi.until("footer of");
  const shown = lines.join("\n");
  expect(shown).toContain("a header\nof two lines");
  expect(shown).toContain("above 80\n");
  expect(shown).toMatch(/footer of s.jsonl null status one/);
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines.at(-1)).toBe("below");
  pi.type(`/usual${enter}`);
  lines = await pi.until((now) => !now.some((line) => line.startsWith("footer")));
  expect(lines.join("\n")).not.toContain("above 80");
  expect(lines.join("\n")).toContain("status one");
});

test("the line about the work and the label of thinking are those of an extension", async () => {
  const pi = await start([{ thinking: "Hm, what now, what else, and then", delayMs: 300, text: "Done." }]);
  pi.type(`/work${enter}`);
  pi.type(`Go${enter}`);
  await pi.until("@@ Pondering deeply");
  await pi.until("Done.");
  await pi.until("Secret thoughts");
});

test("keys go to listeners first, which consume or replace them", async () => {
  const pi = await start();
  pi.type(`/keys${enter}`);
  await pi.until("Listening.");
  pi.type("aqx");
  await pi.until("› ay");
  pi.type("\u0005qx");
  await pi.until("› ayqx");
});

test("an extension sets, pastes and reads the text of the editor, and completes it", async () => {
  const pi = await start();
  pi.type(`/text${enter}`);
  await pi.until("› begun and pasted");
  await pi.until("has: begun and pasted");
  pi.type("\u0015");
  pi.type(`/complete${enter}`);
  await pi.until("Completing.");
  pi.type("see #1");
  await pi.until("issue 1234");
  pi.type("\t");
  await pi.until("› see #1234");
});

test("after /reload nothing of the former extensions is left; the terminal is as it was at the end", async () => {
  const pi = await start();
  pi.type(`/places${enter}`);
  await pi.until("footer of");
  pi.type(`/reload${enter}`);
  const lines = await pi.until((now) => !now.some((line) => line.startsWith("footer")));
  expect(lines.join("\n")).not.toContain("above 80");
  pi.type("\u0004");
  expect(await pi.exited).toEqual({ exitCode: 0, signal: 0 });
  expect(isSane(pi.terminal.written)).toBe(true);
});

test("a tool draws its call and its result with components; its text is what other clients get", async () => {
  const pi = await start([{ toolCalls: [{ name: "deploy", arguments: { target: "live" } }] }, { text: "Done." }]);
  pi.type(`Go${enter}`);
  const lines = await pi.until("Done.");
  const at = lines.indexOf("✓ deploying live");
  expect(lines.slice(at, at + 3)).toEqual([
    "✓ deploying live",
    "  second line of 78",
    "  live: expanded false, partial false, error false",
  ]);
  const message = (await workspace.sessionLines()).find((line) => line.message?.role === "toolResult")?.message;
  expect(message?.display).toEqual({
    call: "deploying live second line of 100",
    result: ["live: expanded true, partial false, error false"],
  });
});

test("shortcuts, messages, entries and arguments of commands are those of an extension", async () => {
  const pi = await start();
  await pi.until('The key "ctrl+c" of an extension is that of "clear"');
  pi.type("\x1bh");
  await pi.until("The other shortcut was pressed.");
  pi.type("\x1b[120;6u");
  await pi.until("The shortcut was pressed.");
  pi.type(`/hotkeys${enter}`);
  await pi.until(/Of extensions\n +ctrl\+shift\+x +says hello/);
  pi.type("\x1b");
  await pi.until("Ask anything");
  pi.type(`/card${enter}`);
  await pi.until("| in a card |");
  await pi.until("entry 7");
  pi.type("/color g");
  await pi.until("green");
  pi.type(`\t${enter}`);
  await pi.until("The colour is green.");
});

test("the theme and the keys of the agent folder, and the theme of an extension", async () => {
  await workspace.write("agent/settings.json", { theme: "sun" });
  await workspace.write("agent/keybindings.json", { "tui.editor.deleteToLineStart": "ctrl+x", "app.tools.expand": "alt+o" });
  await workspace.write("agent/themes/sun.json", { name: "sun", colors: { accent: "#ff8000" } });
  const pi = await start([{ text: "Hello." }], { env: { COLORTERM: "truecolor" } });
  pi.type("a");
  await pi.until("› a");
  expect(pi.terminal.written).toContain("\x1b[38;2;255;128;0m›");
  pi.type(`\u0018/theme light${enter}`);
  await pi.until("true, now light");
  pi.type(`/theme nowhere${enter}`);
  await pi.until('There is no theme "nowhere"');
  pi.type(`/todos${enter}`);
  await pi.until("The list of the extension.");
});

test("an extension changes the Markdown of messages, but not code", async () => {
  const pi = await start([{ text: "See TICKET.\n\n```\nTICKET\n```\n\nEnd." }]);
  pi.type(`About TICKET${enter}`);
  const lines = await pi.until("End.");
  expect(lines.join("\n")).toContain("› About **ticket of the user**\n\nSee ticket of the assistant.\n\n```\nTICKET\n```\n\nEnd.");
});

/** An editor in which Escape changes between a mode for typing and one for commands. */
const modalEditor = `
import { CustomEditor } from "@earendil-works/pi-coding-agent";

class ModalEditor extends CustomEditor {
  mode = "insert";
  handleInput(data) {
    if (data === "\\x1b" && this.mode === "insert") this.mode = "normal";
    else if (this.mode === "insert") super.handleInput(data);
    else if (data === "i") this.mode = "insert";
    else if (data === "\\x1b") super.handleInput(data);
  }
  render(width) {
    return [...super.render(width), "mode: " + this.mode];
  }
}

export default function (pi) {
  pi.on("session_start", (_event, { ui }) => ui.setEditorComponent((screen, theme, keys) => new ModalEditor(screen, theme, keys)));
  pi.registerCommand("usual", { handler: (_args, { ui }) => ui.setEditorComponent(undefined) });
}
`;

test("an editor of an extension gets all keys, sends prompts, has the keys of the session, and keeps the text when it goes", async () => {
  const path = await workspace.write("modal.ts", modalEditor);
  const gate = { toolCalls: [{ name: "bash", arguments: { command: "while [ ! -e go ]; do sleep 0.05; done" } }] };
  const pi = await start([{ text: "Hello." }, gate], { path });
  await pi.until("mode: insert");
  pi.type("abc");
  await pi.until(/^abc$/m);
  pi.type("\x1b");
  await pi.until("mode: normal");
  pi.type("xyzi");
  await pi.until("mode: insert");
  pi.type(`d${enter}`);
  await pi.until("Hello.");
  const lines = await pi.terminal.lines();
  expect(lines).toContain("› abcd");
  pi.type(`More${enter}`);
  await pi.until("Running bash");
  pi.type("\x1b");
  await pi.until("mode: normal");
  pi.type("\x1b");
  await pi.until((now) => !now.some((line) => line.includes("Running bash")));
  pi.type("i");
  await pi.until("mode: insert");
  pi.type(`/usual${enter}`);
  await pi.until("Ask anything");
  pi.type("\x1b[A");
  await pi.until("› /usual");
});
