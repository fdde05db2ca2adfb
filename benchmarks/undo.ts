import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Result, summarize } from "./lib/statistics.ts";

/** The longest that keeping a file may delay an edit, and keeping what a command changes may delay it: two looks of 2 seconds. Milliseconds. */
const editBudgetMs = 3;
const commandBudgetMs = 4000;
/** The files of the repositories in which a command runs. */
const repositories = { usual: [200], full: [200, 50_000] };

// By address, so that what is measured is what is shipped.
const built = (name: string) => import(new URL(`../packages/${name}/dist/index.js`, import.meta.url).href);
const { createAgentSession } = (await built("coding-agent")) as typeof import("../packages/coding-agent/src/index.ts");
const { createScriptedModel } = (await built("ai")) as typeof import("../packages/ai/src/index.ts");

/** Tool calls of a session that keeps changes for an undo, against one that does not. */
export async function undo(rounds: number, { isFull }: { isFull: boolean }): Promise<Result[]> {
  const root = await mkdtemp(join(tmpdir(), "pikit-bench-"));
  try {
    const cwd = join(root, "work");
    await mkdir(cwd);
    await writeFile(join(cwd, "a.txt"), `round 0;\n${"const value = compute();\n".repeat(800)}`);
    let value = 0;
    const results = await compare(root, cwd, "edit of 20 kB", rounds, editBudgetMs, () => {
      value += 1;
      return { name: "edit", arguments: { path: "a.txt", oldText: `round ${value - 1};`, newText: `round ${value};` } };
    });
    for (const count of repositories[isFull ? "full" : "usual"]) {
      const folder = await createRepository(root, count);
      const title = `command among ${count.toLocaleString("en")} files`;
      const call = () => ({ name: "bash", arguments: { command: "true;" } });
      results.push(...(await compare(root, folder, title, Math.min(rounds, 11), commandBudgetMs, call)));
    }
    return results;
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

type ToolCall = { name: string; arguments: Record<string, unknown> };

async function compare(root: string, cwd: string, title: string, rounds: number, atMost: number, call: () => ToolCall) {
  const without: number[] = [];
  const more: number[] = [];
  const kept = await openSession(root, cwd, true);
  const bare = await openSession(root, cwd, false);
  for (let round = -3; round < rounds; round += 1) {
    const bareMs = await bare.measure(call());
    const keptMs = await kept.measure(call());
    if (round < 0) continue;
    without.push(bareMs);
    more.push(keptMs - bareMs);
  }
  await Promise.all([kept.close(), bare.close()]);
  return [summarize(title, "ms", without), summarize(`${title}: more, to undo it`, "ms", more, undefined, { atMost })];
}

async function openSession(root: string, cwd: string, enabled: boolean) {
  const agentDir = join(root, `agent-${enabled}`);
  await mkdir(agentDir, { recursive: true });
  await writeFile(join(agentDir, "settings.json"), JSON.stringify({ undo: { enabled } }));
  let next: ToolCall | undefined;
  const model = createScriptedModel({
    script() {
      const toolCall = next;
      next = undefined;
      return toolCall ? { toolCalls: [toolCall] } : { text: "Done." };
    },
  });
  const session = await createAgentSession({ cwd, agentDir, model });
  return {
    /** From the start of the call to its end. */
    async measure(toolCall: ToolCall): Promise<number> {
      let start = 0;
      let milliseconds = 0;
      const end = session.subscribe(({ type }) => {
        if (type === "tool_execution_start") start = performance.now();
        if (type === "tool_execution_end") milliseconds = performance.now() - start;
      });
      next = toolCall;
      await session.prompt("Go on.");
      end();
      return milliseconds;
    },
    close: () => session.dispose(),
  };
}

async function createRepository(root: string, count: number): Promise<string> {
  const folder = join(root, `repository-${count}`);
  for (let start = 0; start < count; start += 100) {
    const part = join(folder, `d${start}`);
    await mkdir(part, { recursive: true });
    for (let i = start; i < Math.min(count, start + 100); i += 1) await writeFile(join(part, `f${i}`), `${i}\n`);
  }
  const git = (...args: string[]) =>
    execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], { cwd: folder });
  git("init", "-q");
  // Its work in the background would write into a folder that is being removed.
  git("config", "gc.auto", "0");
  git("config", "maintenance.auto", "false");
  git("add", "-A");
  git("commit", "-q", "-m", "first");
  return folder;
}
