import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { until } from "@pikit/test-kit";
import { holdClock } from "@pikit/test-kit/clock";
import { describe, expect, onTestFinished, test } from "vitest";
import type { SandboxSettings } from "../../src/config/sandbox-modes.ts";
import { createLocalProcesses, type LocalProcesses } from "../../src/exec/run-process.ts";
import { Sandbox } from "../../src/sandbox/sandbox.ts";
import { expectNoneWith, livingWith } from "../exec/processes.ts";
import { type Ground, makeGround, missing, writeAll } from "./ground.ts";

const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin/tsc");
const nodeFolder = dirname(process.execPath);
const isInstalled = (program: string) => (process.env.PATH ?? "").split(":").some((folder) => existsSync(join(folder, program)));

const git = "git -c user.name=a -c user.email=a@b.c";

/** Work that people do every day, by its name. Each script runs in the project; all of them in one sandbox. */
const works: Record<string, string> = {
  "git status": "git status --short | grep -q a.txt",
  "git commit": `git add a.txt && ${git} commit -qm one && git log --oneline | grep -q one`,
  "git branch, merge and stash": `git checkout -qb side && echo b > b.txt && git add b.txt && ${git} commit -qm two && git checkout -q - && ${git} merge -q side && echo c >> b.txt && ${git} stash -q && ${git} stash pop -q && ${git} commit -qam four`,
  "git rebase": `git checkout -qb other HEAD~1 && echo d > d.txt && git add d.txt && ${git} commit -qm three && ${git} rebase -q side`,
  "git init": "git init -q fresh && [ -e fresh/.git/HEAD ]",
  "git worktree": "git worktree add -q inner && git -C inner status --short",
  "git clone": "git clone -q . copy 2>&1 && git -C copy log --oneline | grep -q one",
  node: `"$NODE" -e 'require("fs").writeFileSync("n.txt", require("os").tmpdir())' && [ "$(cat n.txt)" = /tmp ]`,
  "a server and its client": `"$NODE" -e 'const s=require("http").createServer((q,r)=>r.end("hi")).listen(0,"127.0.0.1",()=>fetch("http://127.0.0.1:"+s.address().port).then((r)=>r.text()).then((t)=>process.exit(t==="hi"?0:1)))'`,
  tsc: `printf 'export const a: number = 1;\\n' > t.ts && "$NODE" ${tsc} --outDir built t.ts && [ -e built/t.js ]`,
  "temporary files": `file=$(mktemp) && echo x > "$file" && [ -d /var/tmp ] && echo x > /tmp/own.txt`,
  "/dev": "echo x > /dev/null && head -c 4 /dev/urandom > /dev/null && echo x > /dev/stderr && echo x > /dev/shm/x",
  ...(isInstalled("npm") && {
    "npm run": "npm run --silent hello | grep -q hello",
    "npm install": "npm install --silent --no-audit --no-fund --offline ./pack && node -e 'require(\"pack\")'",
  }),
  ...(isInstalled("python3") && {
    python: `python3 -c 'import json, multiprocessing, tempfile; tempfile.mkdtemp(); multiprocessing.Lock(); print(json.dumps([1]))'`,
  }),
  ...(isInstalled("gcc") && { gcc: "printf 'int main(){return 0;}' > c.c && gcc c.c -o c.out && ./c.out" }),
  ...(isInstalled("make") && { make: "printf 'all:\\n\\techo made > made.txt\\n' > Makefile && make -s && [ -e made.txt ]" }),
};

function start(ground: Ground, settings: SandboxSettings = {}, cwd = ground.project): LocalProcesses & { sandbox: Sandbox } {
  const { agentDir, home } = ground;
  const problems: string[] = [];
  const report = (problem: string) => problems.push(problem);
  const sandbox = new Sandbox({ settings: { mode: "require", ...settings }, agentDir, home, cwd: () => cwd, report });
  const env = { PATH: `${nodeFolder}:${process.env.PATH}`, HOME: home, NODE: process.execPath, LANG: "C.UTF-8" };
  const { run, stop } = createLocalProcesses({ container: sandbox, env });
  onTestFinished(async () => {
    await stop();
    await sandbox.stop();
    expect(problems).toEqual([]);
  });
  return { run, stop, sandbox };
}

describe.skipIf(missing !== undefined)(`work in a sandbox${missing === undefined ? "" : ` (${missing})`}`, () => {
  test("everyday work works", async () => {
    const ground = await makeGround();
    await writeAll(ground.project, {
      "package.json": JSON.stringify({ name: "p", scripts: { hello: "echo hello" } }),
      "pack/package.json": JSON.stringify({ name: "pack", version: "1.0.0", main: "index.js" }),
      "pack/index.js": "",
    });
    const { run } = start(ground);
    const names = Object.keys(works);
    const script = Object.values(works).map(
      (work, number) => `( ${work} ) > /tmp/log 2>&1 < /dev/null || { echo ${number}; tail -5 /tmp/log; }`,
    );
    const { output } = await run({ command: script.join("\n"), cwd: ground.project });
    expect(output.replace(/^\d+$/gm, (number) => `not: ${names[Number(number)]}`)).toBe("");
    // Nothing is left of what the sandbox puts where files must not appear.
    expect(execFileSync("ls", ["-A", ground.project], { encoding: "utf8" }).split("\n")).not.toContain(".vscode");
  });

  test("in a worktree, whose repository is elsewhere, commits are possible and hooks are not", async () => {
    const ground = await makeGround();
    const options = { cwd: ground.project, env: { PATH: process.env.PATH, HOME: ground.home } };
    execFileSync(
      "sh",
      ["-c", `git add a.txt && ${git} commit -qm one && git worktree prune && git worktree add -q ../tree`],
      options,
    );
    const tree = join(ground.base, "tree");
    const { run } = start(ground, {}, tree);
    const command = `echo x > x && git add x && ${git} commit -qm two && git log --oneline | wc -l; echo evil > ../project/.git/hooks/post-commit; echo evil > ../project/a.txt; echo "gitdir: /evil" > .git`;
    const { output } = await run({ command, cwd: tree });
    expect(output.split("\n").filter((line) => !line.includes("Read-only file system"))).toEqual(["2", ""]);
    expect(output.match(/Read-only file system/g)).toHaveLength(3);
  });

  test("a .git file that names a folder which does not know the worktree opens nothing", async () => {
    const ground = await makeGround();
    const claimed = join(ground.out, ".git/worktrees/x");
    await writeAll(ground.out, { ".git/HEAD": "", ".git/objects/x": "", ".git/refs/x": "" });
    await writeAll(claimed, { commondir: "../..", gitdir: `${ground.base}/another/.git`, HEAD: "" });
    await writeAll(join(ground.base, "claimer"), { ".git": `gitdir: ${claimed}\n` });
    const cwd = join(ground.base, "claimer");
    const { run } = start(ground, {}, cwd);
    expect(await run({ command: `echo x > "${ground.out}/.git/x"`, cwd })).toMatchObject({ exitCode: 1 });
  });

  test("files of one command are there for the next, also in /tmp; the settings open further places", async () => {
    const ground = await makeGround();
    const { run, sandbox } = start(ground, { writable: ["../outside"], readable: ["~/.netrc", join(ground.home, ".netrc")] });
    await run({ command: "echo x > /tmp/kept", cwd: ground.project });
    const { output } = await run({
      command: `cat /tmp/kept ${ground.home}/.netrc; echo; echo y > ../outside/y`,
      cwd: ground.project,
    });
    expect(output).toBe(`x\n${ground.token}\n`);
    expect(await readFile(join(ground.out, "y"), "utf8")).toBe("y\n");
    expect(existsSync("/tmp/kept")).toBe(false);
    const { temporary } = sandbox.places();
    await sandbox.stop();
    expect(existsSync(temporary)).toBe(false);
  });

  test("a file with which Git would use another folder's settings is removed", async () => {
    const ground = await makeGround();
    const { agentDir, home, project } = ground;
    const problems: string[] = [];
    const report = (problem: string) => void problems.push(problem);
    const sandbox = new Sandbox({ settings: { mode: "require" }, agentDir, home, cwd: () => project, report });
    const { run, stop } = createLocalProcesses({ container: sandbox });
    const made = await run({ command: "cp -r .git evil && echo ../evil > .git/commondir", cwd: project });
    expect(made).toMatchObject({ exitCode: 0, output: "" });
    expect(existsSync(join(project, ".git/commondir"))).toBe(false);
    expect(problems).toEqual([expect.stringContaining("commondir")]);
    await stop();
    await sandbox.stop();
  });

  test("what the sandbox has refused is said", async () => {
    const ground = await makeGround();
    const { run } = start(ground);
    const cwd = ground.project;
    const results = await Promise.all([
      run({ command: "echo x > ../outside/x", cwd }),
      run({ command: "git ls-remote https://example.com/x.git", cwd }),
      run({ command: "echo fine; exit 3", cwd }),
    ]);
    expect(results.map(({ refusal }) => refusal)).toEqual([
      expect.stringContaining(`only ${cwd} and /tmp can be written`),
      expect.stringContaining("there is no network"),
      undefined,
    ]);
  });

  test("a program with arguments, separate streams, and the exit code", async () => {
    const ground = await makeGround();
    const { run } = start(ground);
    const texts: string[] = [];
    const command = ["/bin/sh", "-c", "echo out; echo err >&2; exit 7"] as const;
    const onOutput = (text: string, stream: string) => void texts.push(`${stream}: ${text}`);
    expect(await run({ command, cwd: ground.project, onOutput })).toMatchObject({ exitCode: 7 });
    expect(texts.sort()).toEqual(["stderr: err\n", "stdout: out\n"]);
  });
});

describe.skipIf(missing !== undefined)("commands in a sandbox end when they are told to", () => {
  let durations = 0;
  const uniqueDuration = () => {
    durations += 1;
    return `3${process.pid}.5${durations}`;
  };
  const sleepers = (duration: string) => livingWith(`sleep ${duration}`).filter((line) => !line.includes("bwrap"));

  test.each([
    ["a family", (d: string) => `sleep ${d} & (sleep ${d} & wait) & wait`],
    ["processes that ignore SIGTERM", (d: string) => `trap '' TERM; sleep ${d} & sleep ${d} & wait; wait`],
    [
      "processes in sessions of their own, without an environment",
      (d: string) => `env -i setsid sleep ${d} & setsid sleep ${d} & wait; sleep ${d}`,
    ],
  ])("by a timeout: %s", async (_name, command) => {
    const ground = await makeGround();
    const { run } = start(ground);
    const clock = holdClock();
    const duration = uniqueDuration();
    const running = run({ command: command(duration), cwd: ground.project, timeoutMs: 60_000 });
    await until("two sleepers", () => sleepers(duration).length >= 2);
    clock.pass(60_000);
    clock.release();
    expect(await running).toMatchObject({ outcome: "timeout" });
    expect(livingWith(duration)).toEqual([]);
  });

  test("they can clean up", async () => {
    const ground = await makeGround();
    const { run } = start(ground);
    const controller = new AbortController();
    const command = "trap 'echo cleaned > cleaned; exit' TERM; echo ready; while :; do sleep 0.05; done";
    const result = await run({ command, cwd: ground.project, signal: controller.signal, onOutput: () => controller.abort() });
    expect(result).toMatchObject({ outcome: "aborted" });
    expect(await readFile(join(ground.project, "cleaned"), "utf8")).toBe("cleaned\n");
  });

  test("background processes live on, hold what is covered, and end with the session", async () => {
    const ground = await makeGround();
    const { run, stop } = start(ground);
    const duration = uniqueDuration();
    const command = `sleep ${duration} > /dev/null 2>&1 & (until [ -e go ]; do sleep 0.02; done; echo evil > .pi/evil || echo held > held) 2> /dev/null & echo started`;
    expect(await run({ command, cwd: ground.project })).toMatchObject({ output: "started\n" });
    // Another command ends meanwhile.
    await run({ command: "true", cwd: ground.project });
    await writeFile(join(ground.project, "go"), "");
    await until("an attempt of the background process", () => existsSync(join(ground.project, "held")));
    await stop();
    await expectNoneWith(`sleep ${duration}`);
    expect(existsSync(join(ground.project, ".pi"))).toBe(false);
  });
});
