import { mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test, vi } from "vitest";
import { type RunProcessOptions, runProcess } from "../../src/exec/run-process.ts";
import { useTempFolder } from "./temp-folder.ts";

const folder = useTempFolder();
afterEach(() => {
  vi.unstubAllEnvs();
});

/** Runs a command and returns what it was told, in order, neighbours of one stream joined. */
async function told(command: RunProcessOptions["command"], options: Partial<RunProcessOptions> = {}) {
  const chunks: [stream: string, text: string][] = [];
  const result = await runProcess({
    command,
    cwd: folder.path,
    ...options,
    onOutput(text, stream) {
      const last = chunks.at(-1);
      if (last?.[0] === stream) last[1] += text;
      else chunks.push([stream, text]);
    },
  });
  return { chunks, result };
}

/** Once with pipes, and once where none can be made. */
describe.each([
  { name: "with pipes", places: {} },
  { name: "with sockets, where there is no temporary folder", places: { TMPDIR: "/nonexistent" } },
])("$name", ({ places }) => {
  const lines = Array.from({ length: 200 }, (_, index) => `out ${index}\nerr ${index}\n`).join("");
  const command = "for i in $(seq 0 199); do echo out $i; echo err $i >&2; done";

  test("TL-001 joined streams keep their exact order, and all of it is told as stdout", async () => {
    for (const [name, value] of Object.entries(places)) vi.stubEnv(name, value);
    const { chunks, result } = await told(command);
    expect(chunks).toEqual([["stdout", lines]]);
    expect(result.output).toBe(lines);
  });

  test("TL-010 separate streams are told apart, each in its own order", async () => {
    for (const [name, value] of Object.entries(places)) vi.stubEnv(name, value);
    const { chunks, result } = await told(command, { streams: "separate" });
    const [out, err] = ["stdout", "stderr"].map((stream) =>
      chunks.flatMap(([name, text]) => (name === stream ? [text] : [])).join(""),
    );
    expect(out).toBe(lines.replace(/err.*\n/g, ""));
    expect(err).toBe(lines.replace(/out.*\n/g, ""));
    expect([...result.output.split("\n")].sort()).toEqual([...lines.split("\n")].sort());
  });
});

test("a program with arguments may have its streams joined", async () => {
  const script = "for (let i = 0; i < 50; i++) { fs.writeSync(1, 'o' + i + ' '); fs.writeSync(2, 'e' + i + ' '); }";
  const { chunks } = await told([process.execPath, "-e", script], { streams: "joined" });
  expect(chunks).toEqual([["stdout", Array.from({ length: 50 }, (_, index) => `o${index} e${index} `).join("")]]);
});

test("TL-001 /dev/stdout and /dev/stderr can be written to by name, in order, also twice and by programs", async () => {
  const command =
    "echo 1; echo 2 > /dev/stderr; echo 3 > /dev/stdout; echo 4 | tee /dev/stderr; sh -c 'echo 5 >> /dev/fd/2'; echo 6";
  expect((await told(command)).result.output).toBe("1\n2\n3\n4\n4\n5\n6\n");
  const { chunks } = await told("echo 1 > /dev/stdout; echo 2 > /dev/stderr", { streams: "separate" });
  expect(Object.fromEntries(chunks)).toEqual({ stdout: "1\n", stderr: "2\n" });
});

test.skipIf(process.platform !== "linux")("commands do not get the pipe to the watchdog, nor the end that we read", async () => {
  const { result } = await told("readlink /proc/$$/fd/3; ls -l /proc/self/fd | grep -c 'pikit-pipes\\|socket'");
  // stdout and stderr; the pipe of `ls` has no name.
  expect(result.output).toBe("1\n");
});

test("many commands at once have pipes of their own, and the folder of pipes goes with the last one", async () => {
  vi.stubEnv("TMPDIR", folder.path);
  const numbers = Array.from({ length: 40 }, (_, index) => index);
  const outputs = await Promise.all(numbers.map(async (number) => (await told(`echo ${number}`)).result.output));
  expect(outputs).toEqual(numbers.map((number) => `${number}\n`));
  expect((await readdir(folder.path)).length).toBeLessThanOrEqual(1);
});

test("a temporary folder that is tidied or removed meanwhile does no harm", async () => {
  const place = join(folder.path, "temp");
  await mkdir(place);
  vi.stubEnv("TMPDIR", place);
  // As many as use up the pipes that other tests have left.
  for (let index = 0; index < 20; index += 1) await told("true");
  expect(await readdir(place)).toEqual([expect.stringMatching(/^pikit-pipes-[0-9a-f]{24}$/)]);
  for (const name of await readdir(place)) await rm(join(place, name), { recursive: true });
  expect((await told("echo tidied > /dev/stderr")).result.output).toBe("tidied\n");
  await rm(place, { recursive: true });
  expect((await told("echo gone >&2")).result.output).toBe("gone\n");
});
