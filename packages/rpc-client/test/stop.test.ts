import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { until } from "@pikit/test-kit";
import { holdClock } from "@pikit/test-kit/clock";
import { expect, test } from "vitest";
import type { RpcClient } from "../src/index.ts";
import { clientOf, errorOf, fixture, isAtWork, isRunning, startClient } from "./helpers/clients.ts";

async function pidsOf(client: RpcClient): Promise<number[]> {
  return JSON.parse((await client.getLastAssistantText()) ?? "");
}

test("RC-005 stop ends an agent that ignores the end of its input and SIGTERM, and its children", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "rpc-client-")), "ignored");
  const ignored = () => (existsSync(file) ? readFileSync(file, "utf8") : "");
  const client = await startClient("will-not-stop", { stopGraceMs: 60_000, env: { IGNORED: file } });
  const [pid = 0, child = 0] = await pidsOf(client);
  const clock = holdClock();
  const open = errorOf(client.getMessages({ timeoutMs: 0 }));
  const stopping = client.stop();
  await until("the end of its input is ignored", () => ignored().startsWith("the end of input"));
  clock.pass(60_000);
  await until("SIGTERM is ignored", () => ignored().endsWith("SIGTERM is ignored\n"));
  clock.pass(60_000);
  await stopping;
  expect(isRunning(pid)).toBe(false);
  await until("its child is gone", () => !isAtWork(child));
  expect(await open).toMatchObject({
    code: "stopped",
    signal: "SIGKILL",
    stderrTail: "the end of input is ignored\nSIGTERM is ignored\n",
  });
});

test("RC-005 an agent that ends with its input needs no signal", async () => {
  const client = await startClient("plain", { stopGraceMs: 60_000 });
  const open = errorOf(client.getMessages());
  await client.stop();
  expect(await open).toMatchObject({ code: "stopped", exitCode: 0, signal: null });
});

test("RC-005 stop works twice, concurrently, before start, during start and after a crash", async () => {
  const clock = holdClock();
  const silent = clientOf("never-answers", { stopGraceMs: 60_000, startTimeoutMs: 0 });
  await silent.stop();
  const starting = errorOf(silent.start());
  const stopping = silent.stop();
  clock.pass(60_000);
  await stopping;
  expect(await starting).toMatchObject({ code: "stopped", signal: "SIGTERM" });
  const client = await startClient("plain");
  await Promise.all([client.stop(), client.stop()]);
  await client.stop();
  await client[Symbol.asyncDispose]();
  const crashed = await startClient("dies");
  await errorOf(crashed.abort());
  await crashed.stop();
});

test("RC-005 what a crashed agent leaves in its group is ended", async () => {
  const client = await startClient("will-not-stop");
  const pids = await pidsOf(client);
  expect(await errorOf(client.abort())).toMatchObject({ code: "exited", exitCode: 1 });
  await until("all of the group are gone", () => !pids.some(isAtWork));
});

test("RC-005 a child that holds the pipes open from another group does not delay the end for long", async () => {
  const client = await startClient("leaves-child", { args: ["--own-group"] });
  const [pid = 0, child = 0] = await pidsOf(client);
  const open = errorOf(client.getMessages());
  process.kill(pid, "SIGKILL");
  expect(await open).toMatchObject({ code: "exited", signal: "SIGKILL" });
  process.kill(child, "SIGKILL");
});

test("RC-004 RC-005 a program whose client was stopped ends by itself: no timer, pipe or process is left", async () => {
  const parent = runParent("stops");
  const [output, [exitCode]] = await Promise.all([text(parent.stdout), once(parent, "exit")]);
  expect([output, exitCode]).toEqual(["stopped", 0]);
});

test("RC-006 an agent ends when the program that started it is killed", async () => {
  const parent = runParent("waits");
  const [chunk] = await once(parent.stdout, "data");
  const pid = Number(chunk);
  expect(isRunning(pid)).toBe(true);
  parent.kill("SIGKILL");
  await until("the agent is gone", () => !isAtWork(pid));
});

function runParent(scenario: string) {
  const args = ["--conditions=pikit-source", "--no-warnings", fixture("parent"), scenario, fixture("plain")];
  return spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
}
