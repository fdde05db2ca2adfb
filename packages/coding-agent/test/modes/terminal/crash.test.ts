import { chmod, readFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { cliArguments } from "../../helpers/cli.ts";
import { isSane, type PtyProcess, useTerminals } from "../../helpers/pty.ts";
import { rolesIn, useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();
const startTerminal = useTerminals(workspace);

/** Starts `pi` in a shell that prints its exit code at its end, and whether the modes of the terminal are those from before. */
function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): PtyProcess {
  const script = 'modes=$(stty -g); "$@"; echo "exit code $?"; [ "$(stty -g)" = "$modes" ] && echo "the same modes"';
  return startTerminal([], { env, command: ["/bin/sh", "-c", script, "sh", process.execPath, ...cliArguments, ...args] });
}

/** The text of the terminal at the end, up to the exit code, if the terminal is as it was. */
async function readEnd(pi: PtyProcess): Promise<string> {
  await pi.exited;
  const text = (await pi.terminal.lines()).join("\n");
  expect(text).toMatch(/\nthe same modes$/);
  expect(isSane(pi.terminal.written)).toBe(true);
  return text.replace(/\nthe same modes$/, "");
}

/** Code of the process that is not of an extension: SIGUSR2 makes it fail. The id of the process is in the file `pid`. */
async function withFault(failure: string): Promise<NodeJS.ProcessEnv> {
  const code = `
    if (process.argv.some((each) => each.endsWith("cli.ts") || each.endsWith("cli.js"))) {
      require("node:fs").writeFileSync(${JSON.stringify(join(workspace.root, "pid"))}, String(process.pid));
      process.on("SIGUSR2", () => setImmediate(() => { ${failure} }));
    }`;
  return { NODE_OPTIONS: `--require ${await workspace.write("faulty.cjs", code)}` };
}

async function readPid(name: string): Promise<number> {
  const read = () => readFile(join(workspace.root, name), "utf8").catch(() => "");
  await until(`the file ${name}`, async () => (await read()) !== "");
  return Number(await read());
}

describe("after a fault of pi the terminal is as it was, the report is a line of its own, and the conversation is stored", () => {
  test.each([
    ["an error", `throw new Error("A fault. Of\\n  ours.");`, "A fault. Of ours"],
    ["a rejection", `Promise.reject(new Error("Never caught"));`, "Never caught"],
  ])("%s while a tool runs", async (_what, failure, text) => {
    const model = await workspace.script({ text: "I wait.", toolCalls: [{ name: "bash", arguments: { command: "sleep 60" } }] });
    const pi = start(["--model", model, "Go"], await withFault(failure));
    await pi.until("Running bash");
    process.kill(await readPid("pid"), "SIGUSR2");
    const end = await readEnd(pi);
    expect(end).toMatch(
      new RegExp(`\\nI wait\\.\\n+pi must exit because of an internal fault: ${text}\\. Set PI_DEBUG=1 to see the stack\\.\\n`),
    );
    expect(end).toMatch(/\n\nTo continue this conversation: pi --session \S+\nexit code 1$/);
    expect(rolesIn(await workspace.sessionLines()).slice(0, 3)).toEqual(["user", "assistant", "toolResult"]);
  });

  test("an error of what draws the screen", async () => {
    const model = await workspace.script({ text: "Answered." });
    // From then on every frame fails.
    const failure = `process.stdout.getWindowSize = () => { throw new Error("No size"); };
      Object.defineProperty(process.stdout, "columns", { get() { throw new Error("No size"); } });
      process.stdout.emit("resize");`;
    const pi = start(["--model", model, "Go"], await withFault(failure));
    await pi.until("Answered.");
    process.kill(await readPid("pid"), "SIGUSR2");
    expect(await readEnd(pi)).toMatch(/\npi must exit because of an internal fault: No size\. .*\n[\s\S]*exit code 1$/);
  });

  test("an error of an extension is a line of the conversation, which goes on", async () => {
    const path = await workspace.write(
      "late.ts",
      `export default (pi) => pi.registerCommand("fail", { handler: () => void setTimeout(() => { throw new Error("too late"); }, 0) });`,
    );
    const pi = start(["--model", "demo/tour", "-e", path]);
    await pi.until("Ask anything");
    pi.type("/fail\r");
    await pi.until(/late\.ts failed at\s+uncaughtException: too late\n\n/);
    pi.type("still here");
    await pi.until("still here");
    pi.type("\x03");
    await pi.until((lines) => !lines.some((line) => line.includes("still here")));
    pi.type("\x04");
    expect(await readEnd(pi)).toMatch(/exit code 0$/);
  });
});

test.each(["SIGTERM", "SIGINT", "SIGHUP"])("%s before there is a session leaves the terminal as it was", async (signal) => {
  const pi = start(["--model", "demo/tour", "--resume"], await withFault(""));
  await pi.until("no sessions yet");
  process.kill(await readPid("pid"), signal);
  expect(await readEnd(pi)).toMatch(new RegExp(`exit code ${{ SIGTERM: 143, SIGINT: 130, SIGHUP: 129 }[signal]}$`));
});

test("kill -9 of the external editor, which has changed the modes of the terminal, leaves pi and the terminal as they were", async () => {
  const path = join(workspace.root, "editor.pid");
  const editor = await workspace.write(
    "editor",
    `#!/bin/sh
stty raw -echo
printf '\\033[?1049h\\033[?1000h\\033[?1hTHE EDITOR'
echo $$ > '${path}.new' && mv '${path}.new' '${path}'
exec sleep 600
`,
  );
  await chmod(editor, 0o755);
  const pi = start(["--model", await workspace.script({ text: "Answered." })], { EDITOR: editor });
  await pi.until("% of");
  pi.type("a draft");
  await pi.until("a draft");
  pi.type("\x07");
  await pi.until("THE EDITOR");
  process.kill(await readPid("editor.pid"), "SIGKILL");
  const lines = await pi.until(/The text did not change[\s\S]*SIGKILL[\s\S]*a draft/);
  expect(lines.join("\n")).not.toContain("THE EDITOR");
  pi.type("\r");
  await pi.until("Answered.");
  pi.type("\x04");
  expect(await readEnd(pi)).toMatch(/exit code 0$/);
  const { written } = pi.terminal;
  for (const mode of ["1049", "1000", "1"])
    expect(written.lastIndexOf(`\x1b[?${mode}l`)).toBeGreaterThan(written.lastIndexOf(`\x1b[?${mode}h`));
});

test("kill -9 of a command that the user runs beside the conversation leaves the terminal as it was", async () => {
  const pi = start(["--model", "demo/tour"]);
  await pi.until("Ask anything");
  const path = join(workspace.root, "command.pid");
  pi.type(`!echo $$ > ${path}.new; mv ${path}.new ${path}; exec sleep 600\r`);
  process.kill(await readPid("command.pid"), "SIGKILL");
  await pi.until("Ended by a signal.");
  pi.type("\x04");
  expect(await readEnd(pi)).toMatch(/exit code 0$/);
});
