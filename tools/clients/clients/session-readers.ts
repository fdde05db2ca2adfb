import { equal, match, ok } from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { Checks, type ClientResult } from "../../lib/report.ts";
import { runProgram } from "../../lib/run-program.ts";
import { binOf, cliPath, versionOf, type Workspace, withWorkspace } from "../lib/workspace.ts";

/** Runs one prompt, whose session is stored, and returns its file. */
async function storeSession({ agentDir, cwd, env, script }: Workspace): Promise<string> {
  const model = await script({ text: "The lighthouse has two lamps.", usage: { input: 1200, output: 34 } });
  const { code, stderr } = await runProgram(process.execPath, [cliPath, "-p", "--model", model, "How many lamps?"], { cwd, env });
  if (code !== 0) throw new Error(`pi failed: ${stderr}`);
  const folder = join(agentDir, "sessions");
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith(".jsonl"));
  return join(folder, String(files[0]));
}

async function checkReader(
  packageName: string,
  about: string,
  check: (checks: Checks, program: string, file: string, workspace: Workspace) => Promise<void>,
): Promise<ClientResult> {
  const checks = new Checks(packageName, await versionOf(packageName), about);
  await withWorkspace(async (workspace) => check(checks, await binOf(packageName), await storeSession(workspace), workspace));
  return checks.result;
}

/** Programs that read the session files of `pi`. */
export const sessionReaders: readonly (() => Promise<ClientResult>)[] = [
  () =>
    checkReader("@ccusage/pi", "counts the tokens of the sessions", async (checks, program, _file, { cwd, env }) => {
      await checks.check("daily counts", async () => {
        const { stdout } = await runProgram(process.execPath, [program, "daily", "--json", "--offline"], { cwd, env });
        const { totals } = JSON.parse(stdout) as { totals: { inputTokens: number; outputTokens: number } };
        equal(totals.inputTokens, 1200);
        equal(totals.outputTokens, 34);
      });
    }),
  () =>
    checkReader("llm-usage-metrics", "the same, for many agents", async (checks, program, _file, { cwd, env }) => {
      await checks.check("daily counts of pi", async () => {
        const { stdout } = await runProgram(process.execPath, [program, "daily", "--json"], { cwd, env });
        const { data } = JSON.parse(stdout) as { data: { source: string; modelBreakdown: { inputTokens: number }[] }[] };
        const row = data.find(({ source }) => source === "pi");
        equal(row?.modelBreakdown[0]?.inputTokens, 1200);
      });
    }),
  () =>
    checkReader("@psg2/pi-transcript", "makes HTML pages of a session", async (checks, program, file, { cwd, env, root }) => {
      await checks.check("pages with the prompt and the answer", async () => {
        const out = join(root, "pages");
        const { code } = await runProgram(process.execPath, [program, file, "-o", out], { cwd, env });
        equal(code, 0);
        const pages = (await readdir(out)).filter((name) => name.endsWith(".html"));
        ok(pages.length >= 2);
        const text = (await Promise.all(pages.map((name) => readFile(join(out, name), "utf8")))).join("");
        match(text, /How many lamps\?/);
        match(text, /two lamps/);
      });
    }),
];
