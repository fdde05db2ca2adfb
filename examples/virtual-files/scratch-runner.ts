import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type ProcessRunner, runProcess } from "@pikit/coding-agent";
import type { MemoryFiles } from "./memory-files.ts";

/**
 * Runs commands on a copy of files in memory, and takes over what they have changed. The copy is gone afterwards, and the commands see
 * nothing of this process's environment. A host with containers would start one here.
 */
export function createScratchRunner(files: MemoryFiles): ProcessRunner {
  return async (options) => {
    const root = await mkdtemp(join(tmpdir(), "scratch-"));
    try {
      for (const [path, content] of files.list()) {
        await mkdir(dirname(join(root, path)), { recursive: true });
        await writeFile(join(root, path), content);
      }
      const cwd = join(root, options.cwd);
      await mkdir(cwd, { recursive: true });
      const result = await runProcess({ ...options, cwd, env: { PATH: "/usr/bin:/bin", HOME: root } });
      await takeOver(files, root, options.signal ?? new AbortController().signal);
      return result;
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  };
}

async function takeOver(files: MemoryFiles, root: string, signal: AbortSignal): Promise<void> {
  const left = new Set([...files.list()].map(([path]) => path));
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const name = path.slice(root.length);
    if (entry.isDirectory()) await files.mkdir(name);
    if (!entry.isFile()) continue;
    await files.mkdir(dirname(name));
    await files.replace(name, await readFile(path), signal);
    left.delete(name);
  }
  for (const removed of left) await files.remove(removed);
}
