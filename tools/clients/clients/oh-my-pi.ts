import { Checks, type ClientResult } from "../../lib/report.ts";
import { runProgram } from "../../lib/run-program.ts";
import { bunPath, cliPath, folderOf, programPath, versionOf, withWorkspace } from "../lib/workspace.ts";

const packageName = "@oh-my-pi/pi-coding-agent";

/** Uses the client of oh-my-pi under Bun, which also starts `pi` under Bun. */
export async function checkOhMyPi(): Promise<ClientResult> {
  const about =
    "start, prompts with their results, state, commands, models, shell commands, its own tools, compaction, branches, abort";
  const checks = new Checks(`RpcClient of ${packageName}, under Bun`, await versionOf(packageName), about);
  const bun = bunPath;
  if (bun === undefined) {
    checks.note("everything", "this platform has no Bun package");
    return checks.result;
  }
  await withWorkspace(async ({ cwd, env, script, write }) => {
    await write("home/.pi/agent/prompts/review.md", "Review it.\n");
    const model = await script(
      { text: "Hello." },
      { toolCalls: [{ name: "weather", arguments: { city: "Oslo" } }] },
      { text: "It rains." },
      { text: "A summary." },
      { toolCalls: [{ name: "bash", arguments: { command: "sleep 60" } }] },
    );
    const options = { cwd, env: { ...env, PI_CLI: cliPath, OMP_FOLDER: folderOf(packageName) } };
    const { stdout, stderr } = await runProgram(bun, [programPath("oh-my-pi.ts"), model], options);
    const lines = stdout.split("\n").filter((line) => line.startsWith('{"name"'));
    for (const line of lines) {
      const { name, reason } = JSON.parse(line) as { name: string; reason?: string };
      await checks.check(name, () => {
        if (reason !== undefined) throw new Error(reason);
      });
    }
    if (lines.length === 0) await checks.check("the program runs", () => Promise.reject(new Error(stderr)));
  });
  return checks.result;
}
