import { mkdir, readdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createLocalProcesses, runProcess } from "../../src/exec/run-process.ts";
import { useTempFolder } from "./temp-folder.ts";

const folder = useTempFolder();
beforeEach(() => {
  vi.stubEnv("TMPDIR", folder.path);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

test("TL-007 a file has as many bytes as it may and the result says so, while the end of the output is right", async () => {
  const { run } = createLocalProcesses({ maxOutputFileBytes: 100_000 });
  const cut = await run({ command: "seq 100000", cwd: folder.path });
  expect(cut).toMatchObject({ fullOutputCut: true, totalLines: 100_000, totalBytes: 588_895 });
  expect(cut.output.endsWith("\n99999\n100000\n")).toBe(true);
  const stored = await readFile(cut.fullOutputPath ?? "", "utf8");
  expect(stored.length).toBe(100_000);
  expect(stored.startsWith("1\n2\n3\n")).toBe(true);
  const whole = await run({ command: "head -c 100000 /dev/zero | tr '\\0' x", cwd: folder.path });
  expect(whole).not.toHaveProperty("fullOutputCut");
  expect((await stat(whole.fullOutputPath ?? "")).size).toBe(100_000);
});

test("SC-013 the file is made exclusively, for the user alone, under a name that cannot be guessed", async () => {
  const paths: string[] = [];
  for (let index = 0; index < 3; index += 1) {
    const { fullOutputPath = "" } = await runProcess({ command: "seq 3000", cwd: folder.path });
    expect((await stat(fullOutputPath)).mode & 0o777).toBe(0o600);
    expect(fullOutputPath).toMatch(/\/pi-bash-[0-9a-f]{24}\.log$/);
    paths.push(fullOutputPath);
  }
  expect(new Set(paths).size).toBe(3);
});

test("old outputs of ours are removed with the first long output, and nothing else", async () => {
  const old = new Date(Date.now() - 4 * 24 * 3600 * 1000);
  const hex = "0123456789abcdef01234567";
  const [oldFile, oldFolder] = [`pi-bash-${hex}.log`, `pikit-pipes-${hex}`];
  const recent = `pi-bash-${hex.replace("0", "f")}.log`;
  const strangers = [`pi-bash-${hex}.log.txt`, "pi-bash-notes.log", `my-pi-bash-${hex}.log`];
  for (const name of [oldFile, recent, ...strangers]) await writeFile(join(folder.path, name), "x");
  await mkdir(join(folder.path, oldFolder));
  await writeFile(join(folder.path, oldFolder, "0"), "");
  await mkdir(join(folder.path, "target"));
  await writeFile(join(folder.path, "target", "keep"), "x");
  await symlink(join(folder.path, "target"), join(folder.path, `pikit-pipes-${hex.replace("0", "e")}`));
  for (const name of [oldFile, oldFolder, ...strangers]) await utimes(join(folder.path, name), old, old);
  await runProcess({ command: "echo short", cwd: folder.path });
  expect(await readdir(folder.path)).toContain(oldFile);
  const { fullOutputPath = "" } = await runProcess({ command: "seq 3000", cwd: folder.path });
  const names = (await readdir(folder.path)).filter((name) => !fullOutputPath.endsWith(name));
  expect(names).not.toContain(oldFile);
  expect(names).not.toContain(oldFolder);
  expect(names).toEqual(expect.arrayContaining([recent, ...strangers, "target"]));
  expect(await readdir(join(folder.path, "target"))).toEqual(["keep"]);
});
