import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { cliArguments } from "../../helpers/cli.ts";
import { isSane, type PtyProcess, useTerminals } from "../../helpers/pty.ts";
import { rolesIn, useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();
const start = useTerminals(workspace);

const enter = "\r";
const esc = "\x1b";
const ctrlC = "\x03";
const ctrlD = "\x04";
const ctrlG = "\x07";
const ctrlZ = "\x1a";
const altEnter = "\x1b\r";
const altUp = "\x1b[1;3A";

/** Resolves when the text is shown and the agent has nothing more to do. */
function settled(pi: PtyProcess, text: string): Promise<string[]> {
  return pi.until((lines) => lines.some((line) => line.includes(text)) && !lines.some((line) => line.includes("Esc stops")));
}

describe("a conversation", () => {
  test("pi opens one: a prompt is typed, its answer is printed, and the way back is told at the end", async () => {
    const model = await workspace.script({ text: "The **answer** is:\n\n- one\n- two\n" });
    const pi = start(["--model", model]);
    await pi.until("›");
    pi.type(`Hello${enter}`);
    await settled(pi, "- two");
    pi.type(ctrlD);
    expect(await pi.exited).toEqual({ exitCode: 0, signal: 0 });
    const lines = await pi.terminal.lines();
    expect(lines.join("\n")).toMatch(
      /^pi \S+ · ~\/work\n\n› Hello\n\nThe answer is:\n\n- one\n- two\n\nTo continue this conversation: pi --session \S+$/,
    );
    expect(isSane(pi.terminal.written)).toBe(true);
    const id = lines.at(-1)?.split(" ").at(-1) ?? "";
    const [file = ""] = await workspace.sessionFiles();
    expect(await readFile(file, "utf8")).toContain(id);
  });

  test("pi 'prompt' sends the prompt; keys that came before the program was ready are not lost", async () => {
    const model = await workspace.script({ text: "First." }, { text: "Second." });
    const pi = start(["--model", model, "One"]);
    pi.type(`Two${enter}`);
    const lines = await pi.until("Second.");
    expect(lines.filter((line) => line.startsWith("› "))).toEqual(expect.arrayContaining(["› One", "› Two"]));
  });

  test("Escape stops the work, and says so; the conversation goes on", async () => {
    const model = await workspace.script({ toolCalls: [{ name: "bash", arguments: { command: "sleep 60" } }] }, { text: "Fine." });
    const pi = start(["--model", model, "Go"]);
    await pi.until("sleep 60");
    await pi.until("Running bash");
    pi.type(esc);
    await pi.until((lines) => !lines.some((line) => line.includes("Running bash")));
    pi.type(`Again${enter}`);
    await pi.until("Fine.");
  });

  test("while the agent works Enter steers, Alt-Enter follows up, and both are shown and can be taken back", async () => {
    const gate = { toolCalls: [{ name: "bash", arguments: { command: "while [ ! -e go ]; do sleep 0.05; done" } }] };
    const model = await workspace.script(gate, { text: "Done." });
    const pi = start(["--model", model, "Wait"]);
    await pi.until("Running bash");
    pi.type(`now this${enter}`);
    await pi.until("next: now this");
    pi.type(`later that${altEnter}`);
    await pi.until("afterwards: later that");
    pi.type(altUp);
    await pi.until(/› now this\n\n {2}later that/);
    pi.type(ctrlC);
    await pi.until("Ask anything");
    pi.type(`now${enter}`);
    await pi.until("next: now");
    await workspace.write("work/go", "");
    const lines = await pi.until("Done.");
    expect(lines).toContain("› now");
  });

  test("!command runs a command whose output the model gets; !!command one that it does not get", async () => {
    const model = await workspace.script({ text: "I see." });
    const pi = start(["--model", model]);
    await pi.until("›");
    pi.type(`!echo told$((1+1))${enter}`);
    await pi.until("told2");
    pi.type(`!!echo secret$((1+2))${enter}`);
    await pi.until("secret3");
    pi.type(ctrlD);
    await pi.exited;
    const lines = await workspace.sessionLines();
    const commands = lines.filter(({ message }) => message?.role === "bashExecution");
    expect(commands.map(({ message }) => message?.excludeFromContext ?? false)).toEqual([false, true]);
  });

  test("Ctrl-G opens the editor of the settings, also one that was set meanwhile", async () => {
    for (const name of ["one", "two"]) await workspace.write(`${name}.sh`, `echo "text of ${name}" > "$1"`);
    const use = (name: string) =>
      workspace.write("agent/settings.json", { externalEditor: `sh ${join(workspace.root, `${name}.sh`)}` });
    await use("one");
    const pi = start(["--model", "demo/tour"], { env: { VISUAL: "false" } });
    await pi.until("tour ·");
    pi.type(ctrlG);
    await pi.until("text of one");
    pi.type(ctrlC);
    await use("two");
    pi.type(`/reload${enter}`);
    await pi.until("colours were read");
    pi.type(ctrlG);
    await pi.until("text of two");
  });

  test("/reload reads keys and colours again, and names what is wrong with them", async () => {
    const pi = start(["--model", "demo/tour"]);
    await pi.until("% of");
    expect(pi.terminal.written).not.toContain("\x1b[91m");
    await workspace.write("agent/settings.json", { keys: { exit: ["ctrl+y"], exot: [] }, theme: { accent: "bright-red" } });
    pi.type(`/reload${enter}`);
    await pi.until(/keys and colours were read\s+again/);
    const lines = await pi.until(/"exot" is not an action\.\s+Did you mean\s+"exit"/);
    expect(lines.join("\n")).toContain("Ask anything");
    await until("the new colour", () => pi.terminal.written.includes("\x1b[91m"));
    await workspace.write("agent/settings.json", { keys: 7 });
    pi.type(`/reload${enter}`);
    await pi.until(/settings\.json: [\s\S]*keys/);
    pi.type(ctrlC);
    await pi.until((shown) => shown.at(-1)?.includes("Ask anything") === true);
    pi.type("\x19");
    expect((await pi.exited).exitCode).toBe(0);
  });

  test("an approval is asked in place", async () => {
    const model = await workspace.script(
      { toolCalls: [{ name: "bash", arguments: { command: "rm -rf data && echo gone$((1+1))" } }] },
      { text: "Cleaned." },
    );
    const pi = start(["--model", model, "--approval", "on-risk", "Clean up"]);
    await pi.until("yes, once");
    pi.type("y");
    await pi.until("Cleaned.");
    expect((await pi.terminal.lines()).join("\n")).toContain("gone2");
  });
});

describe("the screen", () => {
  const count = 1500;
  const numbered = Array.from({ length: count }, (_, index) => `line ${index + 1} of the answer`);

  test("each line of a long answer is in the scrollback once and in order, through changes of the size", async () => {
    // The path of the script is in the status line.
    await workspace.write("work/long.jsonl", `${JSON.stringify({ text: numbered.join("\n"), delayMs: 1, deltas: 750 })}\n`);
    const pi = start(["--model", "script/long.jsonl", "Count"], { columns: 80, rows: 24 });
    const seen = await pi.until("line 100 ");
    // A frame that is on its way while the terminal changes cannot know the new width, so no line of the region may be wider.
    expect(Math.max(...seen.slice(-20).map((line) => line.length))).toBeLessThan(60);
    await pi.resize(60, 24);
    await pi.until("line 500 ");
    await pi.resize(120, 40);
    await pi.until("line 900 ");
    await pi.resize(80, 24);
    await settled(pi, `line ${count} `);
    pi.type(ctrlD);
    await pi.exited;
    const shown = (await pi.terminal.lines()).filter((line) => line.startsWith("line "));
    expect(shown).toEqual(numbered);
  });

  test("a narrow terminal without colours gets neither long lines nor colours", async () => {
    const model = await workspace.script({ text: `A paragraph that is longer than forty columns, so that it needs two rows.` });
    const pi = start(["--model", model, "Talk"], { columns: 40, env: { NO_COLOR: "1" } });
    await settled(pi, "two rows");
    expect((await pi.terminal.lines()).filter((line) => line.length > 40)).toEqual([]);
    pi.type(ctrlD);
    await pi.exited;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of colours
    expect(pi.terminal.written).not.toMatch(/\x1b\[(?:3|4|9|10)\d(?:;[\d;]*)?m/);
  });

  test("what an extension prints does not break the screen", async () => {
    await workspace.write(
      "noisy.ts",
      `export default (pi) => { pi.on("agent_start", () => { console.log("from the extension"); console.error("a warning"); }); };`,
    );
    const model = await workspace.script({ text: "Answered." });
    const pi = start(["--model", model, "-e", `${workspace.root}/noisy.ts`, "Hi"]);
    await pi.until("Answered.");
    const lines = await pi.until("a warning");
    expect(lines).toContain("from the extension");
  });
});

describe("the end", () => {
  test.each(["SIGTERM", "SIGINT", "SIGHUP"])("after %s the terminal is as it was, and everything is stored", async (signal) => {
    const model = await workspace.script({ toolCalls: [{ name: "bash", arguments: { command: "sleep 60" } }] });
    const pi = start(["--model", model, "Go"]);
    await pi.until("Running bash");
    process.kill(pi.pid, signal);
    const { exitCode } = await pi.exited;
    expect(exitCode).toBe({ SIGTERM: 143, SIGINT: 130, SIGHUP: 129 }[signal]);
    expect(isSane(pi.terminal.written)).toBe(true);
    expect(rolesIn(await workspace.sessionLines())).toEqual(
      ["user", "assistant", "toolResult", "assistant"].slice(0, rolesIn(await workspace.sessionLines()).length),
    );
  });

  test("Ctrl-C clears the prompt, and twice in a row it ends pi", async () => {
    const pi = start(["--model", "demo/tour"]);
    await pi.until("›");
    pi.type("some words");
    await pi.until("some words");
    pi.type(ctrlC);
    await pi.until((lines) => !lines.some((line) => line.includes("some words")));
    pi.type(ctrlC);
    expect((await pi.exited).exitCode).toBe(0);
  });

  test("stopped by the shell it gives the terminal back, and it draws again when it goes on", async () => {
    const pi = start(["--model", "demo/tour"]);
    await pi.until("Ask anything");
    const before = pi.terminal.written.length;
    process.kill(pi.pid, "SIGTSTP");
    await until("the process stands still", async () => / T /.test(await readFile(`/proc/${pi.pid}/stat`, "utf8")));
    expect(isSane(pi.terminal.written)).toBe(true);
    process.kill(pi.pid, "SIGCONT");
    await until("it draws again", () => pi.terminal.written.slice(before).lastIndexOf("\x1b[?2004h") > 0);
    pi.type("still here");
    await pi.until("still here");
  });

  test.skipIf(!existsSync("/bin/bash"))("Ctrl-Z and fg in a shell, when another program has started pi", async () => {
    // As npx does it: the shell has the terminal again when this program stands still, before pi does.
    const program = `
      const child = require("node:child_process").spawn(process.execPath, ${JSON.stringify(cliArguments)}, { stdio: "inherit" });
      child.on("close", (code) => process.exit(code));`;
    await workspace.write("start.cjs", program);
    const pi = start([], { command: ["/bin/bash", "--norc", "--noprofile", "-i"], env: { PS1: "$ ", NODE: process.execPath } });
    await pi.until("$");
    pi.type(`$NODE ${join(workspace.root, "start.cjs")}${enter}`);
    await pi.until("How do you want to begin?");
    pi.type(esc);
    await pi.until("Ask anything");
    for (const word of ["first", "second"]) {
      pi.type(ctrlZ);
      await pi.until((lines) => lines.filter((line) => line.includes("Stopped")).length === (word === "first" ? 1 : 2));
      pi.type(`fg${enter}`);
      pi.type(word);
      await pi.until(`› ${word}`);
      pi.type(ctrlC);
      await pi.until((lines) => !lines.includes(`› ${word}`));
    }
  });

  test("a command and a tool that are killed, and a window that is closed, leave the conversation as it was", async () => {
    const model = await workspace.script(
      { toolCalls: [{ name: "bash", arguments: { command: "kill -9 $$" } }] },
      { text: "Killed." },
    );
    const pi = start(["--model", model, "Go"]);
    await settled(pi, "Killed.");
    pi.type(`!kill -9 $$; echo never${enter}`);
    await pi.until("Ended by a signal.");
    pi.type("still here");
    await pi.until("still here");
    pi.closeWindow();
    expect((await pi.exited).exitCode).toBeDefined();
    expect(rolesIn(await workspace.sessionLines()).slice(0, 4)).toEqual(["user", "assistant", "toolResult", "assistant"]);
  });

  test("a window that is closed is no failure of its own to report", async () => {
    const command = ["/bin/sh", "-c", 'exec "$@" 2>errors.txt', "sh", process.execPath, ...cliArguments, "--model", "demo/tour"];
    const pi = start([], { command });
    await pi.until("Ask anything");
    pi.closeWindow();
    await pi.exited;
    expect(await readFile(join(workspace.cwd, "errors.txt"), "utf8")).toBe("");
  });

  test("an error before the conversation is one sentence, and the terminal is as it was", async () => {
    const pi = start(["--model", "nobody/knows"]);
    expect((await pi.exited).exitCode).not.toBe(0);
    expect((await pi.terminal.lines()).join("\n")).toContain("nobody/knows");
    expect(isSane(pi.terminal.written)).toBe(true);
  });
});

test("--resume in plain lines asks with a numbered list", async () => {
  for (const prompt of ["The older one", "The newer one"]) {
    const pi = start(["--model", await workspace.script({ text: "Hello." }), "--plain", prompt]);
    await pi.until(/Hello\.\n>$/);
    pi.type(ctrlD);
    await pi.exited;
  }
  const pi = start(["--model", await workspace.script({ text: "Again." }), "--plain", "--resume"]);
  await pi.until(/1\. The newer one \(.*\)\n2\. The older one \(.*\)\nNumber of the session/);
  pi.type(`7${enter}`);
  // The next question comes after that; a number before it would be on a line of its own.
  await pi.until(/There is no number 7 in the list: type one from 1 to 2.*\nNumber of the session \(Enter: none\):$/);
  pi.type(`2${enter}`);
  await pi.until(/\n>$/);
  pi.type(`Go on${enter}`);
  await pi.until("Again.");
  pi.type(ctrlD);
  expect((await pi.exited).exitCode).toBe(0);
  const files = await Promise.all((await workspace.sessionFiles()).map((file) => readFile(file, "utf8")));
  expect(files.filter((text) => text.includes("Go on")).map((text) => text.includes("The older one"))).toEqual([true]);
  const none = start(["--model", "demo/tour", "--plain", "--resume"]);
  await none.until("Number of the session");
  none.type(enter);
  expect((await none.exited).exitCode).toBe(0);
});

test.each([
  ["TERM=dumb", { TERM: "dumb" }, []],
  ["--plain", {}, ["--plain"]],
])("with %s the conversation is in plain lines", async (_what, env, args) => {
  const model = await workspace.script({ text: "One." }, { text: "Two." });
  const pi = start(["--model", model, ...args, "First"], { env });
  await pi.until("One.");
  await pi.until(/>$/m);
  pi.type(`Second${enter}`);
  await pi.until("Two.");
  pi.type(`!echo plain$((1+1))${enter}`);
  await pi.until("plain2");
  pi.type(ctrlD);
  expect((await pi.exited).exitCode).toBe(0);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: no sequence at all
  expect(pi.terminal.written).not.toMatch(/\x1b/);
});
