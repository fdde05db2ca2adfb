import { execFile } from "node:child_process";
import { readdir, readFile, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runProcess } from "../../src/exec/run-process.ts";
import type { FloodReport } from "./fixtures/flood.ts";
import { useTempFolder } from "./temp-folder.ts";

const folder = useTempFolder();
const isLong = process.env.PIKIT_LONG === "1";

/** What a short output has beside its text. */
function totals(lines: number, bytes: number) {
  return {
    truncated: false,
    truncatedBy: null,
    startsMidLine: false,
    totalLines: lines,
    totalBytes: bytes,
    outputLines: lines,
    outputBytes: bytes,
  };
}

describe("running a command", () => {
  test("TL-001 stdout and stderr come in the order in which they were written", async () => {
    const command = "for i in 1 2 3 4 5; do echo out$i; echo err$i >&2; done";
    const expected = [1, 2, 3, 4, 5].map((i) => `out${i}\nerr${i}\n`).join("");
    const result = await runProcess({ command, cwd: folder.path });
    expect(result).toEqual({ outcome: "exited", exitCode: 0, exitSignal: null, output: expected, ...totals(10, 50) });
  });

  test("TL-001 the command reaches bash unchanged, and the exit code comes back", async () => {
    const command = `-x 2>/dev/null\ncat <<'END'\n"$HOME" 'q' \\n !\nEND\necho 'don'"'"'t' "a  b" !\n[[ ab == a* ]] && pwd; exit 3`;
    const result = await runProcess({ command, cwd: folder.path });
    expect(result.output).toBe(`"$HOME" 'q' \\n !\ndon't a  b !\n${folder.path}\n`);
    expect(result.exitCode).toBe(3);
  });

  test("a signal that ends the command is named", async () => {
    expect(await runProcess({ command: "kill -KILL $$", cwd: folder.path })).toMatchObject({
      exitCode: null,
      exitSignal: "SIGKILL",
    });
  });

  test("TL-002 stdin is empty and there is no terminal", async () => {
    const result = await runProcess({
      command: 'cat; read x; echo "read: $?"; (: < /dev/tty) 2>/dev/null || echo none',
      cwd: folder.path,
    });
    expect(result.output).toBe("read: 1\nnone\n");
  });

  test("a program with arguments runs without a shell, its streams told apart", async () => {
    const chunks: string[] = [];
    const script = 'console.log(process.argv[1]); console.error("e")';
    const result = await runProcess({
      command: [process.execPath, "-e", script, "$HOME *"],
      cwd: folder.path,
      onOutput: (text, stream) => chunks.push(`${stream}: ${text}`),
    });
    expect(result.exitCode).toBe(0);
    expect(chunks.sort()).toEqual(["stderr: e\n", "stdout: $HOME *\n"]);
  });

  test("TL-010 characters split over chunks are decoded, per stream; invalid bytes become U+FFFD; the text is valid JSON", async () => {
    const script = `
      const euro = Buffer.from("€");
      // no race: the result is the same when the pieces come as one.
      const wait = () => new Promise((resolve) => setTimeout(resolve, 20));
      process.stdout.write(euro.subarray(0, 1)); await wait();
      process.stderr.write(euro.subarray(0, 2)); await wait();
      process.stdout.write(euro.subarray(1)); await wait();
      process.stderr.write(euro.subarray(2)); await wait();
      process.stdout.write(Buffer.from([0xff, 0x00, 0x41]));`;
    const seen = { stdout: "", stderr: "" };
    const result = await runProcess({
      command: [process.execPath, "--input-type=module", "-e", script],
      cwd: folder.path,
      onOutput: (text, stream) => {
        seen[stream] += text;
      },
    });
    expect(seen).toEqual({ stdout: "€\ufffdA", stderr: "€" });
    expect(JSON.parse(JSON.stringify(result))).toEqual(result);
  });

  test("a character that is cut off at the end becomes U+FFFD", async () => {
    expect((await runProcess({ command: "printf '\\342\\202'", cwd: folder.path })).output).toBe("\ufffd");
  });
});

describe("TL-005 what cannot be started is a typed error", () => {
  test("missing working folder", async () => {
    const run = runProcess({ command: "echo hi", cwd: join(folder.path, "gone") });
    await expect(run).rejects.toMatchObject({ name: "ToolError", code: "cwd_missing", message: expect.stringContaining("ENOENT") });
  });

  test("missing program", async () => {
    const run = runProcess({ command: [join(folder.path, "program")], cwd: folder.path });
    await expect(run).rejects.toMatchObject({ code: "spawn_failed", message: expect.stringContaining("ENOENT") });
  });

  test("a command longer than the system takes", async () => {
    const run = runProcess({ command: `echo ${"x".repeat(20_000_000)}`, cwd: folder.path });
    await expect(run).rejects.toMatchObject({ code: "command_too_long" });
  });

  test("a NUL character", async () => {
    await expect(runProcess({ command: "echo \0", cwd: folder.path })).rejects.toMatchObject({ code: "spawn_failed" });
  });

  test("an abort before the start starts nothing, and one during it is not missed", async () => {
    const marker = join(folder.path, "started");
    const before = await runProcess({ command: `touch ${marker}`, cwd: folder.path, signal: AbortSignal.abort() });
    expect(before).toEqual({ outcome: "aborted", exitCode: null, exitSignal: null, output: "", ...totals(0, 0) });
    await expect(stat(marker)).rejects.toThrow("ENOENT");
    const controller = new AbortController();
    const during = runProcess({ command: "sleep 300", cwd: folder.path, signal: controller.signal });
    controller.abort();
    expect((await during).outcome).toBe("aborted");
  });
});

describe("long output", () => {
  beforeEach(() => {
    vi.stubEnv("TMPDIR", folder.path);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
  });

  test("TL-006 TL-007 beyond 2000 lines the end is kept, and a private file has every byte when the result comes", async () => {
    const result = await runProcess({
      command: "for i in $(seq 1 3000); do printf '\\033[1m%s\\033[0m\\r\\n' $i; done",
      cwd: folder.path,
    });
    expect(result).toMatchObject({
      truncated: true,
      truncatedBy: "lines",
      totalLines: 3000,
      outputLines: 2000,
      startsMidLine: false,
    });
    expect(result.output.split("\n").slice(0, 2)).toEqual(["1001", "1002"]);
    const path = result.fullOutputPath ?? "";
    expect(path).toMatch(/\/pi-bash-[0-9a-f]{24}\.log$/);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const numbers = Array.from({ length: 3000 }, (_, i) => `\u001b[1m${i + 1}\u001b[0m\r\n`);
    expect(await readFile(path, "utf8")).toBe(numbers.join(""));
  });

  test("TL-007 TL-009 beyond 50 KB in one line the end of the line is kept, and the file has all", async () => {
    const result = await runProcess({ command: "head -c 10000000 /dev/zero | tr '\\0' x; printf '€'", cwd: folder.path });
    expect(result).toMatchObject({
      truncatedBy: "bytes",
      startsMidLine: true,
      totalLines: 1,
      totalBytes: 10_000_003,
      outputBytes: 51_200,
    });
    expect(result.output).toBe(`${"x".repeat(51_197)}€`);
    expect((await stat(result.fullOutputPath ?? "")).size).toBe(10_000_003);
  });

  test("short output leaves no file, also when it was long before its escape sequences were removed", async () => {
    const result = await runProcess({ command: "head -c 1000000 /dev/zero; echo end", cwd: folder.path });
    expect(result).toEqual({ outcome: "exited", exitCode: 0, exitSignal: null, output: "end\n", ...totals(1, 4) });
    expect((await readdir(folder.path)).filter((name) => name.startsWith("pi-bash-"))).toEqual([]);
  });

  test("a full output that cannot be stored says so and does not hang the command", async () => {
    vi.stubEnv("TMPDIR", join(folder.path, "missing"));
    const result = await runProcess({ command: "yes | head -c 3000000", cwd: folder.path });
    expect(result).toMatchObject({ truncated: true, totalLines: 1_500_000, fullOutputError: expect.stringContaining("ENOENT") });
    expect(result).not.toHaveProperty("fullOutputPath");
  });

  test(`TL-008 ${isLong ? "5 GB" : "200 MB"} of output need little memory, leave the event loop responsive, and at most 1 GiB is stored`, async () => {
    const bytes = isLong ? 5_000_000_000 : 200_000_000;
    const program = fileURLToPath(new URL("./fixtures/flood.ts", import.meta.url));
    const args = ["--conditions=pikit-source", program, String(bytes)];
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: folder.path });
    const { grownBytes, longestPauseCpuMs, ...sizes }: FloodReport = JSON.parse(stdout);
    expect(sizes).toEqual({ totalBytes: bytes, storedBytes: Math.min(bytes, 1024 ** 3), isCut: isLong });
    expect(grownBytes / 1e6).toBeLessThan(100);
    expect(longestPauseCpuMs).toBeLessThan(500);
  });
});

test("TL-044 a working folder that is replaced by a link to nothing is a clear error", async () => {
  const link = join(folder.path, "link");
  await symlink(join(folder.path, "gone"), link);
  await expect(runProcess({ command: "true", cwd: link })).rejects.toMatchObject({ code: "cwd_missing" });
});
