import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { AgentProcessError, RpcClient, RpcClientOptions } from "../src/index.ts";
import { clientOf, errorOf } from "./helpers/clients.ts";

/** A client of an agent that crashes, and its files. */
function crashing({ env, ...options }: RpcClientOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), "rpc-client-restart-"));
  const files = { SESSION: join(folder, "session.jsonl"), STARTS: join(folder, "starts") };
  const client = clientOf("crashes", { restart: "on-crash", restartDelayMs: 1, env: { ...files, ...env }, ...options });
  const starts = () => readFileSync(files.STARTS, "utf8").trim().split("\n").map(Number);
  return { client, starts, sessionFile: files.SESSION };
}

interface Received {
  args: string[];
  received: Record<string, unknown>[];
}

async function seenBy(client: RpcClient): Promise<Received> {
  return JSON.parse((await client.getLastAssistantText()) ?? "");
}

const crashOf = (client: RpcClient) => new Promise<AgentProcessError>((resolve) => client.onRestart(resolve));

test("after a crash the interrupted prompt rejects, and the next one goes on in the same session file", async () => {
  const { client, starts, sessionFile } = crashing({ args: ["--continue", "--verbose", "--session-id", "x", "--fork=y"] });
  await client.start();
  await client.promptAndWait("one");
  const events = client.events();
  const restarted = crashOf(client);
  const [interrupted, waiting, reader] = await Promise.all([
    errorOf(client.promptAndWait("crash")),
    errorOf(client.promptAndWait("behind it")),
    errorOf(
      (async () => {
        for await (const _ of events);
      })(),
    ),
  ]);
  expect(interrupted).toMatchObject({ code: "exited", exitCode: 3 });
  expect([waiting, reader]).toEqual([interrupted, interrupted]);
  // Sent while nobody is there: it waits.
  expect(await client.promptAndWait("two")).toMatchObject([{ content: "one\ncrash\ntwo\n" }]);
  expect(await restarted).toBe(interrupted);
  expect((await seenBy(client)).args).toEqual(["--mode", "rpc", "--verbose", "--session", sessionFile]);
  expect(starts()).toHaveLength(2);
  await client.stop();
});

test("a session that was begun meanwhile is gone on with; one that has no file yet begins anew", async () => {
  const { client, sessionFile } = crashing();
  await client.start();
  await client.newSession();
  await client.prompt("hello");
  await errorOf(client.promptAndWait("crash"));
  expect((await seenBy(client)).args.slice(-2)).toEqual(["--session", `${sessionFile}-2`]);
  await client.stop();
  const unsaved = crashing({ env: { SESSION: undefined } });
  await unsaved.client.start();
  await errorOf(unsaved.client.promptAndWait("crash"));
  expect((await seenBy(unsaved.client)).args).toEqual(["--mode", "rpc"]);
  await unsaved.client.stop();
});

test("settings and tools are told to the new process before it is talked to, the last ones set; a refused setting does no harm", async () => {
  const { client } = crashing();
  await client.start();
  await client.setTools([{ name: "t", description: "", parameters: {}, execute: () => "" }]);
  await client.setModel("a", "b");
  await client.setThinkingLevel("high");
  await client.setAutoRetry(false);
  await client.setSteeringMode("all");
  await client.cycleModel();
  await errorOf(client.promptAndWait("crash"));
  const { received } = await seenBy(client);
  expect(received.map(({ id: _, ...command }) => command)).toEqual([
    { type: "set_thinking_level", level: "high" },
    { type: "set_auto_retry", enabled: false },
    { type: "set_steering_mode", mode: "all" },
    { type: "set_model", provider: "c", modelId: "d" },
    { type: "set_host_tools", tools: [{ name: "t", description: "", parameters: {} }] },
  ]);
  await client.stop();
  await client.start();
  expect((await seenBy(client)).received.map(({ type }) => type)).toEqual(["set_host_tools"]);
  await client.stop();
});

test("after some crashes in a row the client gives up, and everything rejects with the last crash; it can be started again", async () => {
  const { client, starts } = crashing({ maxRestarts: 3, env: { LIVES: "1" } });
  await client.start();
  const exits: string[] = [];
  client.onExit(({ code }) => exits.push(code));
  await errorOf(client.promptAndWait("crash"));
  const reader = client.events().next();
  const [error, same, ofReader] = await Promise.all([client.prompt("Hi"), client.getState(), reader].map(errorOf));
  expect(error).toMatchObject({
    ...{ code: "gave_up", exitCode: 4, stderrTail: "no more lives\n" },
    cause: expect.objectContaining({ code: "exited", exitCode: 4 }),
  });
  expect([same, ofReader]).toEqual([error, error]);
  expect(await errorOf(client.getState())).toBe(error);
  expect(starts()).toHaveLength(4);
  expect(exits).toEqual(["exited", "gave_up"]);
  expect(await errorOf(client.start())).toMatchObject({ code: "exited", exitCode: 4 });
});

test("stop during the wait for a restart ends it: nothing is started, and what waits rejects", async () => {
  const { client, starts } = crashing({ restartDelayMs: 60_000 });
  await client.start();
  await errorOf(client.promptAndWait("crash"));
  const waiting = errorOf(client.getState());
  const aborted = errorOf(client.getState({ signal: AbortSignal.abort("no time") }));
  const controller = new AbortController();
  const abortedLater = errorOf(client.getState({ signal: controller.signal }));
  controller.abort();
  expect([await aborted, await abortedLater]).toMatchObject([{ code: "aborted", cause: "no time" }, { code: "aborted" }]);
  expect(await errorOf(client.start())).toMatchObject({ code: "already_started" });
  await Promise.all([client.stop(), client.stop()]);
  expect(await waiting).toMatchObject({ code: "stopped" });
  expect(await errorOf(client.getState())).toMatchObject({ code: "stopped" });
  expect(starts()).toHaveLength(1);
});

test("without the option a crash is final, and a failed start is never repeated", async () => {
  const once = crashing({ restart: "never" });
  await once.client.start();
  const error = await errorOf(once.client.promptAndWait("crash"));
  expect(await errorOf(once.client.getState())).toBe(error);
  expect(once.starts()).toHaveLength(1);
  const never = crashing({ env: { LIVES: "0" } });
  expect(await errorOf(never.client.start())).toMatchObject({ code: "exited", exitCode: 4 });
  expect(never.starts()).toHaveLength(1);
});
