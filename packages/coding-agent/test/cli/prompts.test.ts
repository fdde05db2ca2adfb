import { expect, test } from "vitest";
import { runCli } from "../helpers/cli.ts";
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
