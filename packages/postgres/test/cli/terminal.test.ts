import { expect, onTestFinished, test } from "vitest";
import { PtyProcess } from "../../../coding-agent/test/helpers/pty.ts";
import { useMachine } from "./helpers.ts";

const machine = useMachine();
const enter = "\r";
const ctrlD = "\x04";

async function start(args: readonly string[], env?: NodeJS.ProcessEnv): Promise<PtyProcess> {
  const model = await machine.workspace.script({ text: "Go on, then." });
  const pi = PtyProcess.start(machine.workspace, ["--model", model, ...args], {
    env: { PI_SESSION_STORE: machine.address, ...env },
  });
  onTestFinished(() => {
    if (pi.isRunning) pi.kill("SIGKILL");
  });
  return pi;
}

test("on a terminal, --resume and /resume list the sessions of the database; at the end pi says how to continue", async () => {
  await machine.ask("We need milk.", "Noted.", "--session-id", "milk");
  await machine.ask("We need bread.", "Noted.", "--session-id", "bread");
  const pi = await start(["--resume"]);
  await pi.until(/We need bread\..*We need milk\./s);
  pi.type(`milk${enter}`);
  await pi.until(/We need milk\..*Noted\./s);
  pi.type(`And salt.${enter}`);
  await pi.until("Go on, then.");
  pi.type(`/resume${enter}`);
  await pi.until(/Sessions of this folder.*We need bread\./s);
  pi.type(`bread${enter}`);
  await pi.until((lines) => lines.join("\n").lastIndexOf("We need bread.") > lines.join("\n").lastIndexOf("Go on, then."));
  pi.type(ctrlD);
  expect((await pi.exited).exitCode).toBe(0);
  expect(pi.terminal.written).toContain("To continue this conversation: pi --session bread");
  expect((await machine.sessions()).map(({ id }) => id)).toEqual(["milk", "bread"]);
});

test("in plain lines, --resume asks with the sessions of the database; the address stays out of what is printed", async () => {
  await machine.ask("We need milk.", "Noted.", "--session-id", "milk");
  const pi = await start(["--plain", "--resume", "--session-store", machine.address], { PI_SESSION_STORE: "" });
  await pi.until(/1\. We need milk\. \(.*\)\nNumber of the session/);
  pi.type(`1${enter}`);
  await pi.until(/\n>$/);
  pi.type(`And salt.${enter}`);
  await pi.until("Go on, then.");
  pi.type(ctrlD);
  expect((await pi.exited).exitCode).toBe(0);
  const fullScreen = await start(["--session", "milk", "--session-store", machine.address], { PI_SESSION_STORE: "" });
  await fullScreen.until("And salt.");
  fullScreen.type(ctrlD);
  expect((await fullScreen.exited).exitCode).toBe(0);
  expect(fullScreen.terminal.written).toContain("To continue this conversation: pi --session-store … --session milk");
  expect(fullScreen.terminal.written).not.toContain("postgres://");
});

test("a database that does not answer is an error, and the terminal is given back", async () => {
  machine.address = "postgres://pikit@127.0.0.1:1/none";
  const pi = await start([]);
  expect((await pi.exited).exitCode).toBe(1);
  expect(pi.terminal.written).toContain("Cannot list the sessions in the database postgres://pikit@127.0.0.1:1/none");
});
