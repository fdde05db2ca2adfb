import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { SandboxSettings } from "../../src/config/sandbox-modes.ts";
import { createLocalProcesses } from "../../src/exec/run-process.ts";
import { Sandbox } from "../../src/sandbox/sandbox.ts";
import { type Attempt, laters, reaches, reads, writes } from "./attempts.ts";
import { type Ground, makeGround, makeSurroundings, missing, textOf } from "./ground.ts";

const all: readonly Attempt[] = [...writes, ...reads, ...reaches, ...laters];

/** All attempts as one script, so that they need one start of a sandbox. It prints the numbers of those that succeed. */
function toScript(attempts: readonly Attempt[], token: string): string {
  const parts = attempts.map(({ script }, number) => `(\n${script}\n) > /dev/null 2>&1 < /dev/null && echo ${number}`);
  return [`TOKEN=${token}`, ...parts, "echo end"].join("\n");
}

async function run(ground: Ground, attempts: readonly Attempt[], settings: SandboxSettings | undefined): Promise<string[]> {
  const { project, home, agentDir, out, token } = ground;
  const surroundings = await makeSurroundings(ground);
  const sandbox = settings && new Sandbox({ settings, agentDir, home, cwd: () => project, report: () => undefined });
  const processes = createLocalProcesses({ container: sandbox });
  const env = {
    ...{ PATH: process.env.PATH, ...surroundings, PROJECT: project, HOME: home, AGENT: agentDir, OUT: out },
    ...{ MODEL_API_KEY: token, DATABASE_URL: `postgres://user:${token}@host/name` },
    ...{ SSH_AUTH_SOCK: join(out, "docker.sock"), XDG_RUNTIME_DIR: out },
  };
  const { output } = await processes.run({ command: toScript(attempts, token), cwd: project, env });
  await processes.stop();
  await sandbox?.stop();
  const lines = output.split("\n");
  expect(lines.at(-2)).toBe("end");
  return lines.slice(0, -2).map((line) => attempts[Number(line)]?.name ?? line);
}

describe.skipIf(missing !== undefined)(`attempts to get out of a sandbox${missing === undefined ? "" : ` (${missing})`}`, () => {
  test(`all ${all.length} fail`, async () => {
    const ground = await makeGround();
    const settings = { mode: "require" as const, hidden: [".env"] };
    expect(await run(ground, all, settings)).toEqual([]);
    // As seen from outside.
    expect(await textOf(join(ground.out, "file"))).toBe("file\n");
    expect(
      execFileSync("find", [ground.out, "-newer", join(ground.project, "a.txt"), "-type", "f"], { encoding: "utf8" }),
    ).not.toContain("/w");
    expect(existsSync(join(ground.project, ".pi"))).toBe(false);
    expect(existsSync(join(ground.project, ".vscode"))).toBe(false);
    expect(existsSync(join(ground.project, ".git/hooks/post-commit"))).toBe(false);
  });

  test("with a network, files and processes stay out of reach", async () => {
    const ground = await makeGround();
    const settings = { mode: "require" as const, network: true, hidden: [".env"] };
    const found = await run(ground, all, settings);
    // Both belong to the network of the machine.
    expect(found).toEqual(["an abstract socket", "a server on this machine"]);
  });

  test("without a sandbox they succeed, so each check can fail", async () => {
    const ground = await makeGround();
    await mkdir(ground.agentDir, { recursive: true });
    const controls = all.filter(({ isControl }) => isControl !== false);
    expect(controls.length).toBeGreaterThan(40);
    expect(await run(ground, controls, undefined)).toEqual(controls.map(({ name }) => name));
  });
});
