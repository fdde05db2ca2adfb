import { chmod, mkdir, writeFile } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import { expect, test } from "vitest";
import { findShell } from "../../src/exec/find-shell.ts";
import { runProcess } from "../../src/exec/run-process.ts";
import { useTempFolder } from "./temp-folder.ts";

const folder = useTempFolder();

test("SC-013 a shell in the working folder is never taken, whatever PATH says", async () => {
  const bin = join(folder.path, "node_modules", ".bin");
  await mkdir(bin, { recursive: true });
  for (const path of [join(folder.path, "bash"), join(folder.path, "sh"), join(bin, "bash"), join(bin, "sh")]) {
    await writeFile(path, "#!/bin/sh\necho taken\n");
    await chmod(path, 0o755);
  }
  const searchPath = `.::${folder.path}:${bin}:relative:${process.env.PATH}`;
  const shell = await findShell({ cwd: folder.path, searchPath });
  expect(shell && isAbsolute(shell) && !shell.startsWith(folder.path)).toBe(true);
  const { output } = await runProcess({ command: "echo real", cwd: folder.path, env: { PATH: searchPath } });
  expect(output).toBe("real\n");
});
