import { spawn, spawnSync } from "node:child_process";
import { cleanEnvironment, cliArguments } from "./cli.ts";
import type { Workspace } from "./workspace.ts";

/** Whether a program can be run. */
export function isInstalled(program: string): boolean {
  return spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
}

/** Whether there is a program that gives a terminal to another. */
export const hasTerminal: boolean = isInstalled("script");

/**
 * Runs `pi` with a terminal on stdin, stdout and stderr; resolves with what the terminal got, line ends as LF, and the exit code.
 *
 * @param typed - What is typed, once each: the keys, and the text on the terminal after which they are.
 */
export async function runInTerminal(
  workspace: Workspace,
  args: readonly string[],
  { env = {}, typed = [] }: { env?: NodeJS.ProcessEnv; typed?: readonly { after: string; keys: string }[] } = {},
): Promise<{ output: string; exitCode: number | null }> {
  const command = [process.execPath, ...cliArguments, ...args].map((part) => `'${part.replaceAll("'", "'\\''")}'`).join(" ");
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    cwd: workspace.cwd,
    env: cleanEnvironment(workspace, { TERM: "xterm", SHELL: "/bin/sh", ...env }),
    stdio: ["pipe", "pipe", "pipe"],
  });
  let output = "";
  const waiting = new Set(typed);
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    output += text;
    for (const each of waiting) {
      if (!output.includes(each.after)) continue;
      waiting.delete(each);
      child.stdin.write(each.keys);
    }
  });
  const exitCode = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { output: output.replaceAll("\r\n", "\n"), exitCode };
}
