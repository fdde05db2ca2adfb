import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** Why a sandbox cannot be made here; undefined if it can. */
export const missing = findMissing();

function findMissing(): string | undefined {
  if (process.platform !== "linux") return "bubblewrap needs Linux";
  try {
    execFileSync("bwrap", [
      "--unshare-user",
      "--unshare-pid",
      "--ro-bind",
      "/",
      "/",
      "--proc",
      "/proc",
      "--",
      "/bin/sh",
      "-c",
      ":",
    ]);
    return undefined;
  } catch (error) {
    return `bwrap: ${(error as Error).message}`;
  }
}

/** A project, a home folder with secrets, and a folder next to the project. */
export interface Ground {
  base: string;
  project: string;
  home: string;
  agentDir: string;
  out: string;
  /** A text in all secrets. */
  token: string;
}

/** Creates a ground for a test in the system's temporary folder, and removes it with the test. */
export async function makeGround(): Promise<Ground> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "pikit-test-")));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const [project, home, out] = ["project", "home", "outside"].map((name) => join(base, name)) as [string, string, string];
  const agentDir = join(home, ".pi/agent");
  const ground = { base, project, home, agentDir, out, token: `secret-${basename(base)}` };
  await writeAll(home, {
    ...Object.fromEntries(
      [".ssh/id_ed25519", ".aws/credentials", ".netrc", ".git-credentials", ".pi/agent/auth.json", ".pi/agent/settings.json"]
        .concat(".pi/agent/sessions/other.jsonl")
        .map((path) => [path, ground.token]),
    ),
    ".bashrc": "",
    ".pi/agent/skills/one/SKILL.md": "a skill\n",
  });
  await writeAll(out, Object.fromEntries(["file", "file6", "file7", "file8", "file11"].map((name) => [name, `${name}\n`])));
  await writeAll(project, { ".bashrc": "", ".env": ground.token, "a.txt": "a\n", "hooks-of-project/pre-commit": "#!/bin/sh\n" });
  makeRepository(project);
  makeRepository(join(project, "nested"));
  // What a submodule and another worktree leave in the repository.
  makeRepository(join(base, "lib"), join(project, ".git/modules/lib"));
  await writeAll(join(project, ".git/worktrees/tree"), {
    commondir: "../..\n",
    gitdir: `${base}/tree/.git\n`,
    HEAD: "ref: refs/heads/tree\n",
  });
  execFileSync("git", ["config", "include.path", "../hooks-of-project/pre-commit"], { cwd: project });
  return ground;
}

function makeRepository(folder: string, gitFolder?: string): void {
  const separate = gitFolder === undefined ? [] : [`--separate-git-dir=${gitFolder}`];
  if (gitFolder !== undefined) mkdirSync(dirname(gitFolder), { recursive: true });
  execFileSync("git", ["init", "--quiet", ...separate, folder], { env: { PATH: process.env.PATH, HOME: "/nowhere" } });
}

export async function writeAll(folder: string, files: Record<string, string>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

/** Things of this machine that no sandbox should reach, and their names for the attempts. */
export async function makeSurroundings({ out, token, base }: Ground): Promise<NodeJS.ProcessEnv> {
  const mark = basename(base);
  const files = { HOST_TEMPORARY_FILE: `/tmp/${mark}.txt`, HOST_SHARED_FILE: `/dev/shm/${mark}.txt` };
  for (const path of Object.values(files)) await writeFile(path, token);
  onTestFinished(async () => {
    for (const path of Object.values(files)) await rm(path, { force: true });
  });
  // A client that leaves at once resets the connection.
  const greet = (socket: Socket) => void socket.on("error", () => undefined).end("reached");
  const server = createServer(greet);
  const others = [server, createServer(greet), createServer(greet)] as const;
  await Promise.all([
    once(others[0].listen(0, "127.0.0.1"), "listening"),
    once(others[1].listen(join(out, "docker.sock")), "listening"),
    once(others[2].listen(`\0${mark}`), "listening"),
  ]);
  await chmod(join(out, "docker.sock"), 0o777);
  const victim = spawn("sleep", ["300.5"], { env: { ...process.env, OF_HOST: token } });
  await once(victim, "spawn");
  onTestFinished(() => {
    victim.kill("SIGKILL");
    for (const other of others) other.close();
  });
  return {
    ...{ ...files, NODE: process.execPath, HOST_PORT: String((server.address() as AddressInfo).port), ABSTRACT: mark },
    ...{ VICTIM_PID: String(victim.pid), HOST_PID: String(victim.pid) },
  };
}

/** The content of a file; undefined if it does not exist. */
export async function textOf(path: string): Promise<string | undefined> {
  return existsSync(path) ? readFile(path, "utf8") : undefined;
}
