import { execFile, execFileSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { readArgument } from "../../src/cli/read-argument.ts";
import { cleanEnvironment, cliArguments, runCli } from "../helpers/cli.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

/** The content of each user message that was stored. */
async function storedPrompts(): Promise<unknown[]> {
  const lines = await workspace.sessionLines();
  return lines.flatMap(({ message }) => (message?.role === "user" ? [message.content] : []));
}

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);

test("an image file is sent as an image, text files as delimited text, all with the first prompt", async () => {
  await workspace.write("work/dot.png", png);
  await workspace.write("work/a b.md", "# Title\n");
  await workspace.write("work/wide.txt", Buffer.from("\ufeffwide", "utf16le"));
  const script = await workspace.script({ text: "ok" }, { text: "ok" });
  const args = ["-p", "--model", script, "@a b.md", "First", "@dot.png", "Second", "@wide.txt"];
  expect(await runCli(workspace, args)).toMatchObject({ exitCode: 0, stderr: "" });
  expect(await storedPrompts()).toEqual([
    [
      {
        type: "text",
        text: '<file name="a b.md">\n# Title\n\n</file>\n\n[image dot.png: image/png, 1×1, 70 B]\n\n<file name="wide.txt">\nwide\n</file>\n\nFirst',
      },
      { type: "image", data: png.toString("base64"), mimeType: "image/png" },
    ],
    "Second",
  ]);
});

test("files and the pipe need no text, and characters cut between reads of the pipe stay whole", async () => {
  await workspace.write("work/notes.md", "note");
  const script = await workspace.script({ text: "ok" });
  const input = "€😀".repeat(50_000);
  expect(await runCli(workspace, ["-p", "--model", script, "@notes.md"], { input: `${input}\n\n` })).toMatchObject({ exitCode: 0 });
  expect(await storedPrompts()).toEqual([`<file name="notes.md">\nnote\n</file>\n\n${input}`]);
});

test("a pipe that the shell has opened is read as a file; another pipe and a device are refused", async () => {
  const script = await workspace.script({ text: "ok" });
  const pi = [process.execPath, ...cliArguments].map((part) => `'${part}'`).join(" ");
  const command = `printf two | ${pi} -p --model '${script}' @<(printf one) @/dev/stdin Go`;
  const options = { cwd: workspace.cwd, env: cleanEnvironment(workspace) };
  const run = (line: string) => promisify(execFile)("bash", ["-c", line], options).catch((error: object) => error);
  expect(await run(command)).toEqual({ stdout: "ok\n", stderr: "" });
  const [prompt] = await storedPrompts();
  expect(String(prompt).replace(/fd\/\d+/, "fd/N")).toBe(
    '<file name="/dev/fd/N">\none\n</file>\n\n<file name="/dev/stdin">\ntwo\n</file>\n\nGo',
  );
  const pipe = join(workspace.root, "pipe");
  execFileSync("mkfifo", [pipe]);
  await expect(readArgument("../pipe", workspace.cwd)).rejects.toThrow(
    "Cannot read @../pipe: it is a pipe, and a regular file is needed (EFTYPE). Give a file, or pipe it to stdin.",
  );
  await expect(readArgument("/dev/zero", workspace.cwd)).rejects.toThrow("Cannot read @/dev/zero: it is a device");
});
