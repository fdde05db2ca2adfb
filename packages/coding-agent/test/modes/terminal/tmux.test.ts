import { chmod } from "node:fs/promises";
import { until } from "@pikit/test-kit";
import { expect, onTestFinished, test } from "vitest";
import { hasTmux, TmuxTerminal } from "../../helpers/tmux.ts";
import { useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();
const isLong = process.env.PIKIT_LONG === "1";

async function start(args: readonly string[], size: { columns?: number; rows?: number } = {}): Promise<TmuxTerminal> {
  const terminal = await TmuxTerminal.start(workspace, args, size);
  onTestFinished(() => terminal.close());
  return terminal;
}

/** Resolves when the text is shown and the agent has nothing more to do. */
function settled(pi: TmuxTerminal, text: string): Promise<string[]> {
  return pi.until((lines) => lines.some((line) => line.includes(text)) && !lines.some((line) => line.includes("Esc stops")));
}

test.skipIf(!hasTmux)(
  "a long answer with three changes of the size: every line is in the scrollback once and in order",
  async () => {
    const count = isLong ? 10_000 : 1000;
    const numbered = Array.from({ length: count }, (_, index) => `line ${index + 1} of the answer`);
    await workspace.write("work/long.jsonl", `${JSON.stringify({ text: numbered.join("\n"), delayMs: 1, deltas: count })}\n`);
    // A short name, so that no line of the live region is wider than the narrowest size.
    const pi = await start(["--model", "script/long.jsonl", "Count"], { columns: 90, rows: 30 });
    await pi.until(`line ${Math.round(count * 0.1)} of`);
    await pi.resize(64, 30);
    await pi.until(`line ${Math.round(count * 0.3)} of`);
    await pi.resize(120, 40);
    await pi.until(`line ${Math.round(count * 0.5)} of`);
    await pi.resize(80, 24);
    await settled(pi, `line ${count} of`);
    await pi.press("C-d");
    await until("pi has ended", () => pi.hasEnded());
    expect((await pi.lines()).filter((line) => line.startsWith("line "))).toEqual(numbered);
  },
);

test.skipIf(!hasTmux)("the keys of the conversation", async () => {
  await workspace.write("work/src/main.ts", "export {};\n");
  const editor = await workspace.write("editor.sh", '#!/bin/sh\necho "from the editor" > "$1"\n');
  await chmod(editor, 0o755);
  const gate = { toolCalls: [{ name: "bash", arguments: { command: "while [ ! -e go ]; do sleep 0.05; done" } }] };
  const model = await workspace.script({ text: "One." }, gate, { text: "Two." }, { text: "Three." }, { text: "Four." });
  await workspace.write("agent/settings.json", { defaultThinkingLevel: "off" });
  const pi = await start(["--model", model]);
  await pi.until("Ask anything");

  // A prompt of several lines.
  await pi.type("first line");
  await pi.press("C-j");
  await pi.type("second line");
  await pi.press("Enter");
  await settled(pi, "One.");

  // History, words, undo.
  await pi.press("Up");
  await pi.until((lines) => lines.filter((line) => line.includes("second line")).length === 2);
  await pi.press("C-c");
  await pi.type("alpha beta");
  await pi.press("C-w");
  await pi.until((lines) => lines.includes("› alpha"));
  await pi.press("C-c");
  await pi.until("Ask anything");

  // Completion of files and commands.
  await pi.type("@mai");
  await pi.until("src/main.ts");
  await pi.press("Tab");
  await pi.until((lines) => lines.some((line) => line.startsWith("› @src/main.ts")));
  await pi.press("C-c");
  await pi.until("Ask anything");
  await pi.type("/hotk");
  await pi.until("/hotkeys");
  await pi.press("Enter");
  await pi.until("Ctrl-G");
  await pi.press("Escape");
  await pi.until("Ask anything");

  // A pasted text of many lines is a marker, and is sent in full.
  await pi.paste(Array.from({ length: 30 }, (_, index) => `pasted ${index}`).join("\n"));
  await pi.until((lines) => lines.some((line) => /^› \[.*paste/i.test(line)));
  await pi.press("C-c");
  await pi.until("Ask anything");

  // Steering, following up, taking back, stopping.
  await pi.type("Work");
  await pi.press("Enter");
  await pi.until("Running bash");
  await pi.type("steer");
  await pi.press("Enter");
  await pi.until("next: steer");
  await pi.type("follow");
  await pi.press("M-Enter");
  await pi.until("afterwards: follow");
  await pi.press("M-Up");
  await pi.until((lines) => lines.some((line) => line.startsWith("› steer")));
  await pi.press("C-c");
  await pi.until("Ask anything");
  await pi.press("Escape");
  await pi.until("Stopped.");
  await pi.until((lines) => !lines.some((line) => line.includes("Esc stops")));

  // Going back to an earlier message.
  await pi.press("Escape");
  await pi.press("Escape");
  await pi.until("── Go back");
  await pi.press("Escape");
  await pi.until((lines) => !lines.some((line) => line.startsWith("── Go back")));

  // A shell command, and the end.
  await pi.type("!echo shell$((1+1))");
  await pi.press("Enter");
  await pi.until("shell2");
  await pi.press("C-d");
  await until("pi has ended", () => pi.hasEnded());
  expect((await pi.lines()).join("\n")).toContain("To continue this conversation: pi --session ");
});
