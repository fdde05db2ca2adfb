import { type ChildProcess, spawn } from "node:child_process";
import { on, once } from "node:events";
import type { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { holdClock } from "@pikit/test-kit/clock";
import { describe, expect, test } from "vitest";
import { createLocalProcesses, type ProcessResult, runProcess } from "../../src/exec/run-process.ts";
import { escapees } from "./fixtures/escapees.ts";
import { expectNoneWith, expectSleepers, livingWith } from "./processes.ts";
import { useTempFolder } from "./temp-folder.ts";

const folder = useTempFolder();
const isLong = process.env.PIKIT_LONG === "1";

let durations = 0;
/** Runs a command whose time is over when two of its processes sleep. */
async function runUntilAsleep(command: string, duration: string): Promise<ProcessResult> {
  const clock = holdClock();
  const run = runProcess({ command, cwd: folder.path, timeoutMs: 60_000 });
  await expectSleepers(duration);
  clock.pass(60_000);
  clock.release();
  return run;
}

/** An argument of `sleep` that no other test has. */
function uniqueDuration(): string {
  durations += 1;
  return `3${process.pid}.${durations}`;
}

describe.skipIf(process.platform !== "linux")("TL-003 what has left its group is killed", () => {
  test.each(escapees)("by a timeout: $name", async ({ command }) => {
    const duration = uniqueDuration();
    const result = await runUntilAsleep(command(duration), duration);
    expect(livingWith(duration)).toEqual([]);
    expect(result).toMatchObject({ outcome: "timeout" });
    expect(result).not.toHaveProperty("survivors");
  });

  test.each(escapees)("by an abort: $name", async ({ command }) => {
    const duration = uniqueDuration();
    const controller = new AbortController();
    const run = runProcess({ command: command(duration), cwd: folder.path, signal: controller.signal });
    await expectSleepers(duration);
    controller.abort();
    expect(await run).toMatchObject({ outcome: "aborted" });
    expect(livingWith(duration)).toEqual([]);
  });

  test("but not what other commands have started", async () => {
    const [own, other] = [uniqueDuration(), uniqueDuration()];
    await runProcess({ command: `setsid sleep ${other} > /dev/null 2>&1 &`, cwd: folder.path });
    await runUntilAsleep(`setsid sleep ${own} & sleep ${own}`, own);
    expect(livingWith(own)).toEqual([]);
    const [survivor = ""] = livingWith(other);
    process.kill(Number.parseInt(survivor, 10));
  });
});

describe.skipIf(process.platform !== "linux")("TL-004 background processes", () => {
  test("live until their session is stopped, wherever they went, and those of other sessions live on", async () => {
    const [own, other] = [uniqueDuration(), uniqueDuration()];
    const [session, others] = [createLocalProcesses(), createLocalProcesses()];
    await others.run({ command: `setsid sleep ${other} > /dev/null 2>&1 &`, cwd: folder.path });
    const count = 3 * escapees.length;
    for (const { command } of [...escapees, ...escapees, ...escapees].slice(0, count)) {
      if (!command("").includes("while :"))
        await session.run({ command: `{ ${command(own)}; } > /dev/null 2>&1 & echo`, cwd: folder.path });
    }
    await expectSleepers(own);
    await session.stop();
    expect(livingWith(own)).toEqual([]);
    expect(livingWith(other).length).toBe(1);
    await others.stop();
    expect(livingWith(other)).toEqual([]);
  });

  test("a runner that has run nothing stops at once, and one that has been stopped runs again", async () => {
    const session = createLocalProcesses();
    await session.stop();
    await session.run({ command: "true", cwd: folder.path });
    await session.stop();
    expect((await session.run({ command: "echo again", cwd: folder.path })).output).toBe("again\n");
  });
});

describe.skipIf(process.platform !== "linux")("TL-013 after a SIGKILL of the host", () => {
  const host = fileURLToPath(new URL("./fixtures/busy-host.ts", import.meta.url));
  const kill = async (child: ChildProcess) => {
    const exited = once(child, "exit");
    child.kill("SIGKILL");
    await exited;
  };

  test("whatever its commands have started is killed", async () => {
    for (const { command } of escapees) {
      const duration = uniqueDuration();
      const program = fileURLToPath(new URL("./fixtures/host.ts", import.meta.url));
      const args = ["--conditions=pikit-source", program, "exit-never", command(duration)];
      const child = spawn(process.execPath, args, { cwd: folder.path, stdio: ["ignore", "inherit", "inherit"] });
      await expectSleepers(duration);
      await kill(child);
      await expectNoneWith(duration);
    }
  });

  test("at any moment no process is left", async () => {
    const random = seededRandom(20_260_801);
    for (let round = 0; round < (isLong ? 300 : 12); round += 1) {
      const duration = uniqueDuration();
      const child = spawn(process.execPath, ["--conditions=pikit-source", host, duration], {
        cwd: folder.path,
        stdio: ["ignore", "pipe", "inherit"],
      });
      const commands = round % 3 === 0 ? 1 + Math.floor(random() * 20) : 0;
      // In the other two thirds while the program loads, and at its first command, when the watchdog is started too.
      if (commands > 0) await readBytes(child, commands);
      else await sleep(random() * 400);
      await sleep(random() * 30);
      await kill(child);
      await expectNoneWith(duration);
    }
  });
});

async function readBytes({ stdout }: ChildProcess, count: number): Promise<void> {
  let seen = 0;
  for await (const [chunk] of on(stdout as Readable, "data")) {
    seen += (chunk as Buffer).length;
    if (seen >= count) return;
  }
}

/** Numbers from 0 to 1, the same ones for a seed (mulberry32). */
function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
}
