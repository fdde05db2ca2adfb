import { spawn } from "node:child_process";
import { getEventListeners, once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { until } from "@pikit/test-kit";
import { holdClock } from "@pikit/test-kit/clock";
import { describe, expect, test, vi } from "vitest";
import { runProcess } from "../../src/exec/run-process.ts";
import { isReachable } from "../../src/exec/running-groups.ts";
import { expectGroupGone, livingMembers } from "./processes.ts";
import { useTempFolder } from "./temp-folder.ts";

const folder = useTempFolder();
const host = fileURLToPath(new URL("./fixtures/host.ts", import.meta.url));

/** A command that leaves processes at two depths and says its group's number when they run. */
const family = "sleep 300 & (sleep 300 & wait) & echo $$; wait";

describe("TL-003 nothing of the group survives", () => {
  test("a timeout, which keeps the output so far", async () => {
    const clock = holdClock();
    const onOutput = () => clock.pass(60_000);
    const result = await runProcess({ command: family, cwd: folder.path, timeoutMs: 60_000, onOutput });
    expect(result).toMatchObject({ outcome: "timeout", exitCode: null, exitSignal: "SIGTERM" });
    expect(livingMembers(Number(result.output))).toEqual([]);
  });

  test("an abort, also of a command that ignores SIGTERM", async () => {
    const controller = new AbortController();
    const result = await runProcess({
      command: `trap '' TERM; ${family}; sleep 300`,
      cwd: folder.path,
      signal: controller.signal,
      onOutput: () => controller.abort(),
    });
    expect(result).toMatchObject({ outcome: "aborted", exitSignal: "SIGKILL" });
    expect(livingMembers(Number(result.output))).toEqual([]);
  });

  test("a listener that throws, whose error is the promise's", async () => {
    let group = 0;
    const onOutput = (text: string) => {
      group = Number(text);
      throw new Error("listener");
    };
    await expect(runProcess({ command: family, cwd: folder.path, onOutput })).rejects.toThrow("listener");
    expect(livingMembers(group)).toEqual([]);
  });

  test("TL-012 one signal stops several commands, and no other", async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const started: Promise<unknown>[] = [];
    const start = (options: { signal?: AbortSignal }, command: string) => {
      const first = Promise.withResolvers<void>();
      started.push(first.promise);
      return runProcess({ command, cwd: folder.path, ...options, onOutput: () => first.resolve() });
    };
    const stopped = [start({ signal }, "echo 1; sleep 300"), start({ signal }, "echo 2; sleep 300")];
    const other = start({}, "echo 3; until [ -e go ]; do sleep 0.02; done; echo done");
    await Promise.all(started);
    controller.abort();
    expect((await Promise.all(stopped)).map(({ outcome, output }) => [outcome, output])).toEqual([
      ["aborted", "1\n"],
      ["aborted", "2\n"],
    ]);
    await writeFile(join(folder.path, "go"), "");
    expect(await other).toMatchObject({ outcome: "exited", output: "3\ndone\n" });
  });

  test("what cannot be killed is named, and the result comes all the same", async () => {
    // As if the command were another user's.
    const spy = vi.spyOn(process, "kill").mockImplementation(() => {
      throw Object.assign(new Error("kill EPERM"), { code: "EPERM" });
    });
    const clock = holdClock();
    const hasOutput = Promise.withResolvers<void>();
    const command = "echo $$; exec sleep 300";
    const run = runProcess({ command, cwd: folder.path, timeoutMs: 60_000, onOutput: () => hasOutput.resolve() });
    await hasOutput.promise;
    clock.pass(60_000);
    const result = await clock.passUntil(run);
    spy.mockRestore();
    const group = Number(result.output);
    expect(result).toMatchObject({ outcome: "timeout", exitCode: null, exitSignal: null, survivors: [group] });
    process.kill(-group, "SIGKILL");
    await expectGroupGone(group);
  });

  test("abort listeners and signal handlers are removed at the end", async () => {
    const { signal } = new AbortController();
    const before = process.listenerCount("SIGTERM");
    const counts: number[][] = [];
    const count = () => counts.push([getEventListeners(signal, "abort").length, process.listenerCount("SIGTERM") - before]);
    await runProcess({ command: "echo", cwd: folder.path, signal, onOutput: count });
    count();
    expect(counts).toEqual([
      [1, 1],
      [0, 0],
    ]);
  });
});

describe("TL-004 background processes", () => {
  test("one that holds the pipe does not delay the result", async () => {
    const result = await runProcess({ command: "sleep 60 & echo hi; echo $!", cwd: folder.path });
    const [greeting, pid] = result.output.split("\n");
    expect([greeting, result.outcome, result.exitCode]).toEqual(["hi", "exited", 0]);
    process.kill(Number(pid), 0); // Throws if it does not live.
    process.kill(Number(pid));
  });

  test("output that still flows is collected until it ends", async () => {
    const command = "(for i in 1 2 3 4 5; do echo $i; sleep 0.05; done) & exit 0";
    const clock = holdClock();
    // Together longer than a silence may be, but none of the pauses is.
    const onOutput = () => clock.pass(150);
    expect((await runProcess({ command, cwd: folder.path, onOutput })).output).toBe("1\n2\n3\n4\n5\n");
  });

  test("the timeout stays in force while it flows", async () => {
    const command = "(while :; do echo x; sleep 0.05; done) & echo $$";
    const clock = holdClock();
    let output = "";
    const onOutput = (text: string) => {
      output += text;
    };
    const run = runProcess({ command, cwd: folder.path, timeoutMs: 60_000, onOutput });
    const group = await until("the command says its group", () => Number(/^\d+$/m.exec(output)?.[0] ?? 0) || undefined);
    await until("the shell has ended", () => !isReachable(group));
    clock.pass(60_000);
    expect(await run).toMatchObject({ outcome: "timeout", exitCode: 0 });
    expect(livingMembers(group)).toEqual([]);
  });

  test("one that writes later lives on", async () => {
    const command = `(until [ -e go ]; do sleep 0.02; done; echo late; echo "$?" > written) & echo $$`;
    const result = await runProcess({ command, cwd: folder.path });
    const group = Number(result.output);
    await writeFile(join(folder.path, "go"), "");
    await expectGroupGone(group);
    expect((await runProcess({ command: "cat written", cwd: folder.path })).output).toBe("0\n");
  });
});

describe("TL-013 the end of the host is the end of its commands", () => {
  async function runHost(ending: string, command: string, signal?: NodeJS.Signals) {
    const child = spawn(process.execPath, ["--conditions=pikit-source", host, ending, command], {
      cwd: folder.path,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const exited = once(child, "exit");
    const [chunk] = (await once(child.stdout, "data")) as [Buffer];
    if (signal) child.kill(signal);
    const [code, exitSignal] = await exited;
    return { group: Number(chunk.toString()), code, exitSignal };
  }

  test("process.exit", async () => {
    const { group, code } = await runHost("exit", family);
    expect(code).toBe(5);
    await expectGroupGone(group);
  });

  test.each(["SIGTERM", "SIGHUP", "SIGINT"] as const)("%s, by which the host still dies", async (signal) => {
    const { group, exitSignal } = await runHost("signal", family, signal);
    expect(exitSignal).toBe(signal);
    await expectGroupGone(group);
  });

  test("a signal that the host handles itself", async () => {
    const { group, code } = await runHost("handled", family, "SIGTERM");
    expect(code).toBe(7);
    await expectGroupGone(group);
  });

  test("what a finished command left behind is killed too, and does not keep the host", async () => {
    const { group, code } = await runHost("background", "sleep 300 & echo $$");
    expect(code).toBe(0);
    await expectGroupGone(group);
  });
});
