import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { until } from "@pikit/test-kit";
import { afterEach, describe, expect, test } from "vitest";
import { hasMark, MarkSeries, markEnvironment, markVariable } from "../../src/exec/command-mark.ts";
import { ProcessSearch } from "../../src/exec/process-search.ts";
import { readPs } from "../../src/exec/process-table.ts";
import { runProcess } from "../../src/exec/run-process.ts";
import { signalGroup } from "../../src/exec/running-groups.ts";
import { watchdogScript } from "../../src/exec/watchdog-script.ts";
import { expectGroupGone, expectNoneWith, expectSleepers, listProcesses, livingMembers, livingWith } from "./processes.ts";
import { useTempFolder } from "./temp-folder.ts";

const folder = useTempFolder();
const children: ChildProcess[] = [];
afterEach(() => {
  for (const { pid } of children.splice(0)) if (pid !== undefined) signalGroup(pid, "SIGKILL");
});

/** A process with a mark, in a group of its own. */
async function startSleeper(marks?: string): Promise<number> {
  const env = { PATH: process.env.PATH, ...(marks !== undefined && { [markVariable]: marks }) };
  const child = spawn("/bin/sh", ["-c", "sleep 300 & wait"], { env, detached: true, stdio: "ignore" });
  children.push(child);
  await once(child, "spawn");
  const pid = child.pid as number;
  await until("the shell has its child", () => livingMembers(pid).length === 2);
  return pid;
}

/** Runs the script as the agent's end finds it, and resolves when it has done its work. */
async function runWatchdog(flags: string[], lines: string[]): Promise<void> {
  const watchdog = spawn("/bin/sh", ["-c", watchdogScript, "sh", ...flags], { stdio: ["pipe", "ignore", "inherit"] });
  watchdog.stdin.end(lines.map((line) => `${line}\n`).join(""));
  expect(await once(watchdog, "exit")).toEqual([0, null]);
}

/** The same flags make procps list what they make other systems list. */
const listings = [
  { name: "/proc", flags: ["proc"] },
  { name: "ps", flags: ["axeww"] },
];

describe.skipIf(process.platform !== "linux").each(listings)("the watchdog, by $name", ({ flags }) => {
  const mark = new MarkSeries().prefix;

  test("TL-013 kills groups and marked processes, also marked by an agent inside an agent, and no others", async () => {
    const [grouped, marked, inner] = [
      await startSleeper(),
      await startSleeper(`${mark}000001`),
      await startSleeper(`1:${mark}7:2`),
    ];
    const [bare, stranger] = [await startSleeper(), await startSleeper("4567:890123456")];
    await runWatchdog(flags, [mark, `+${grouped}`]);
    for (const pid of [grouped, marked, inner]) await expectGroupGone(pid);
    for (const pid of [bare, stranger]) expect(livingMembers(pid).length).toBe(2);
  });

  test("leaves groups alone that have ended, and those whose number another group has by now", async () => {
    const [ended, reused, orphaned, again] = [
      await startSleeper(),
      await startSleeper(),
      await startSleeper(),
      await startSleeper(),
    ];
    process.kill(orphaned, "SIGKILL"); // Its child lives on, in a group without a leader.
    await expectGroupLeaderGone(orphaned);
    const lines = [`+${ended}`, `+${ended}`, `-${ended}`, `+${reused}`, `~${reused}`, `+${orphaned}`, `~${orphaned}`];
    await runWatchdog(flags, [mark, ...lines, `+${again}`, `~${again}`, `-${again}`, `+${again}`]);
    for (const pid of [orphaned, again]) await expectGroupGone(pid);
    for (const pid of [ended, reused]) expect(livingMembers(pid).length).toBe(2);
  });

  test("removes the folder of pipes, and no other folder", async () => {
    const [pipes, other] = [join(folder.path, "pikit-pipes-1 2"), join(folder.path, "other")];
    for (const path of [pipes, other]) {
      await mkdir(path);
      await writeFile(join(path, "0"), "");
    }
    await runWatchdog(flags, [mark, other]);
    await runWatchdog(flags, [mark, pipes]);
    expect(await readdir(folder.path)).toEqual(["other"]);
    expect(await readdir(other)).toEqual(["0"]);
  });
});

async function expectGroupLeaderGone(pid: number): Promise<void> {
  const leader = children.find((child) => child.pid === pid);
  if (leader?.exitCode === null && leader.signalCode === null) await once(leader, "exit");
}

test("a watchdog that was killed is replaced with the next command, which does not notice", async () => {
  const left = await runProcess({ command: "sleep 300 > /dev/null 2>&1 & echo $$", cwd: folder.path });
  const first = await until("there is a watchdog", () => watchdogs()[0]);
  process.kill(first, "SIGKILL");
  // At once, before its end is known, and afterwards.
  for (let index = 0; index < 3; index += 1) {
    expect(await runProcess({ command: "echo on; echo err >&2", cwd: folder.path })).toMatchObject({
      exitCode: 0,
      output: "on\nerr\n",
    });
  }
  const second = await until("there is another watchdog", async () => {
    await runProcess({ command: "true", cwd: folder.path });
    return watchdogs().find((pid) => pid !== first);
  });
  await runProcess({ command: "true", cwd: folder.path });
  expect(watchdogs()).toEqual([second]);
  process.kill(-Number(left.output), "SIGKILL");
});

/** The watchdogs of this process. The sh that starts one has its name too, and is our child; the watchdog is nobody's. */
function watchdogs(): number[] {
  const name = `pikit-watchdog-of-${process.pid}`;
  return listProcesses().flatMap(({ pid, parent, args }) => (parent !== process.pid && args.includes(name) ? [pid] : []));
}

test("without a sound from its agent a watchdog ends and kills nothing", async () => {
  await runWatchdog(["proc"], []);
});

describe("marks", () => {
  test("are numbers below 2^63, unique, and begin with that of their series", () => {
    const [first, second] = [new MarkSeries(), new MarkSeries()];
    const marks = [first.next(), first.next(), second.next()];
    expect(new Set(marks).size).toBe(3);
    for (const mark of marks) expect(BigInt(mark) < 2n ** 63n).toBe(true);
    expect(marks.map((mark) => mark.startsWith(first.prefix))).toEqual([true, true, false]);
  });

  test("are added to those of the agents above", () => {
    expect(markEnvironment({ A: "1" }, "12")).toEqual({ A: "1", [markVariable]: "12" });
    expect(markEnvironment({ [markVariable]: "12" }, "34")).toEqual({ [markVariable]: "12:34" });
  });

  test.each([
    [`A=1\0${markVariable}=123456\0`, true],
    [`${markVariable}=9:123`, true],
    [`x ${markVariable}=9 ${markVariable}=123 y`, true],
    [`${markVariable}=91234`, false],
    [`${markVariable}=9\0OTHER=:1234`, false],
    ["OTHER=1234", false],
    ["", false],
  ])("are found in %j: %s", (environment, expected) => {
    expect(hasMark(environment, "123")).toBe(expected);
  });
});

test.skipIf(process.platform !== "linux")("what ps says of processes: groups, marks, and descendants without either", async () => {
  const mark = new MarkSeries().prefix;
  const own = `30${process.pid}.5`;
  const script = `(env -i setsid sleep ${own} & sleep ${own}) & setsid sleep ${own}`;
  const child = spawn("/bin/bash", ["-c", `${script} & wait`], {
    env: { PATH: process.env.PATH, [markVariable]: `${mark}1` },
    detached: true,
  });
  await expectSleepers(own, 3);
  const search = new ProcessSearch({ groups: new Set(), mark }, () => readPs(["axeww"]));
  const found = (await search.find())?.map(({ pid }) => pid) ?? [];
  expect(found.sort()).toEqual(
    livingWith(own)
      .map((line) => Number.parseInt(line, 10))
      .sort(),
  );
  expect(found.length).toBeGreaterThan(3);
  for (const pid of found) process.kill(pid, "SIGKILL");
  await expectNoneWith(own);
  expect(child.pid).toBeGreaterThan(0);
});
