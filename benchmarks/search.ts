import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createFindTool } from "../packages/coding-agent/src/tools/find/definition.ts";
import { createGrepTool } from "../packages/coding-agent/src/tools/grep/definition.ts";
import { findRipgrep } from "../packages/coding-agent/src/tools/grep/ripgrep-process.ts";
import { type Result, summarize } from "./lib/statistics.ts";

const folders = 2500;
const filesPerFolder = 20;
const wanted = "the needle";

/**
 * `grep` for a rare text in 50,000 files, in a repository and outside of any, against `rg --sort path` that is spawned and read to its
 * end; and `find`, for a rare name and for all files, against `rg --files --hidden --sort path`, which lists the same files in the same order.
 */
export async function search(rounds: number): Promise<Result[]> {
  const root = await mkdtemp(join(tmpdir(), "pikit-bench-"));
  const inside = join(root, "repository");
  const outside = join(root, "plain");
  const ripgrep = await findRipgrep();
  if (ripgrep === undefined) throw new Error("ripgrep is not installed: there is nothing to compare with.");
  try {
    for (const folder of [inside, outside]) await makeTree(folder);
    await mkdir(join(inside, ".git"));
    const grep = (cwd: string) => timed(() => call(createGrepTool(cwd), { pattern: wanted }));
    const series = {
      rg: { run: () => timed(() => runToEnd(ripgrep, ["--sort", "path", wanted, "./"], inside)), times: [] as number[] },
      inside: { run: () => grep(inside), times: [] as number[] },
      outside: { run: () => grep(outside), times: [] as number[] },
      rgFiles: {
        run: () => timed(() => runToEnd(ripgrep, ["--files", "--hidden", "--sort", "path", "./"], inside)),
        times: [] as number[],
      },
      find: { run: () => timed(() => call(createFindTool(inside), { pattern: "*.needle" })), times: [] as number[] },
      findAll: {
        run: () => timed(() => call(createFindTool(inside), { pattern: "*.ts", limit: 1_000_000 })),
        times: [] as number[],
      },
    };
    // The first rounds fill the page cache.
    for (let round = -2; round < rounds; round += 1) {
      for (const { run, times } of Object.values(series)) {
        const milliseconds = await run();
        if (round >= 0) times.push(milliseconds);
      }
    }
    const rg = summarize("rg --sort path, 50,000 files", "ms", series.rg.times);
    const rgFiles = summarize("rg --files --hidden --sort path", "ms", series.rgFiles.times);
    return [
      rg,
      summarize("grep tool in a repository", "ms", series.inside.times, rg, 1.2),
      summarize("grep tool outside of repositories", "ms", series.outside.times, rg, 1.2),
      rgFiles,
      summarize("find tool, no match", "ms", series.find.times, rgFiles, 1.1),
      summarize("find tool, all files", "ms", series.findAll.times, rgFiles, 1.1),
    ];
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}

async function makeTree(root: string): Promise<void> {
  for (let folder = 0; folder < folders; folder += 1) {
    const path = join(root, `package${folder % 50}`, `part${folder}`);
    await mkdir(path, { recursive: true });
    const write = (file: number) => {
      const lines = Array.from(
        { length: 40 },
        (_, line) => `export const value${line} = compute(${file}, "${(line * 7919) % 1000}");\n`,
      );
      if (file === 0 && folder % 250 === 0) lines.push(`// ${wanted}\n`);
      return writeFile(join(path, `file${file}.ts`), lines.join(""));
    };
    await Promise.all(Array.from({ length: filesPerFolder }, (_, file) => write(file)));
  }
  await writeFile(join(root, ".gitignore"), "node_modules/\ndist/\n*.log\n");
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

async function runToEnd(program: string, args: readonly string[], cwd: string): Promise<void> {
  const child = spawn(program, args, { cwd, stdio: ["ignore", "pipe", "inherit"] });
  child.stdout.resume();
  await once(child, "close");
}

function call(
  tool: ReturnType<typeof createGrepTool | typeof createFindTool>,
  params: { pattern: string; limit?: number },
): Promise<unknown> {
  return tool.execute("call_1", params, new AbortController().signal, () => undefined);
}
