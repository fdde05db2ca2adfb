import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmod, mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { editExternally } from "../../../../src/modes/terminal/input/external-editor.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();

beforeEach(async () => {
  // So that the test sees what is left of the files.
  await mkdir(join(workspace.root, "tmp"));
  vi.stubEnv("TMPDIR", join(workspace.root, "tmp"));
  onTestFinished(() => void vi.unstubAllEnvs());
});

/** Writes an editor, which a shell runs, and returns its path. */
async function editor(script: string, name = "editor"): Promise<string> {
  const path = await workspace.write(name, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // All of its processes have ended.
  }
}

const lends: string[] = [];

async function edit(text: string, env: NodeJS.ProcessEnv) {
  lends.length = 0;
  const result = await editExternally(text, {
    cwd: workspace.cwd,
    env: { PATH: process.env.PATH, ...env },
    async lend(use) {
      lends.push("taken");
      const used = await use();
      lends.push("given back");
      return used;
    },
  });
  expect(await readdir(join(workspace.root, "tmp"))).toEqual([]);
  return result;
}

describe("the edited text", () => {
  test("it is what the editor has saved, without the last line end; the terminal is lent meanwhile", async () => {
    const program = await editor(
      'cat "$1" > "$0.seen"; stat -c %a "$1" "$(dirname "$1")" > "$0.modes"; printf \'new\\r\\ntext\\n\\n\' > "$1"',
    );
    expect(await edit("old\ntext", { EDITOR: program })).toEqual({ text: "new\ntext\n" });
    expect(await readFile(`${program}.seen`, "utf8")).toBe("old\ntext\n");
    expect(await readFile(`${program}.modes`, "utf8")).toBe("600\n700\n");
    expect(lends).toEqual(["taken", "given back"]);
  });

  test("a text that is not changed stays the same", async () => {
    const program = await editor("exit 0");
    for (const text of ["", "a", "a\n", "\n\n", "  a\n\tb  "]) expect(await edit(text, { EDITOR: program })).toEqual({ text });
  });

  test("VISUAL comes before EDITOR; both may have arguments", async () => {
    const program = await editor('shift; printf "%s|" "$@" > "$0.arguments"', "my editor");
    expect(await edit("a", { VISUAL: `'${program}' --wait -n "two words" x\\ y`, EDITOR: "/no/such" })).toEqual({ text: "a" });
    expect(await readFile(`${program}.arguments`, "utf8")).toMatch(/^-n\|two words\|x y\|\/.*prompt\.md\|$/);
    expect(await edit("a", { VISUAL: "  ", EDITOR: `"${program}"` })).toEqual({ text: "a" });
  });

  test("the editor works in the working folder", async () => {
    const program = await editor('pwd > "$1"');
    expect(await edit("a", { EDITOR: program })).toEqual({ text: workspace.cwd });
  });
});

describe("problems leave the text as it was", () => {
  test("a non-zero exit, and a signal", async () => {
    const program = await editor('echo changed > "$2"; eval "$1"');
    expect(await edit("a", { EDITOR: `'${program}' 'exit 3'` })).toEqual({
      problem: `The text did not change: ${program} exit 3 ended with exit code 3.`,
    });
    expect(await edit("a", { EDITOR: `'${program}' 'kill -9 $$'` })).toEqual({
      problem: `The text did not change: ${program} kill -9 $$ was ended by SIGKILL.`,
    });
  });

  test("an editor that is not there", async () => {
    expect(await edit("a", { VISUAL: "/no/such-editor -x" })).toEqual({
      problem: "The text did not change: /no/such-editor -x cannot be started: ENOENT.",
    });
    expect(lends).toEqual(["taken", "given back"]);
  });

  test("an editor that removes the file, or makes it too large", async () => {
    expect(await edit("a", { EDITOR: await editor('rm "$1"') })).toEqual({ problem: "The text did not change: ENOENT." });
    expect(await edit("a", { EDITOR: await editor('head -c 5000000 /dev/zero > "$1"') })).toEqual({
      problem: "The text did not change: it is larger than 4 MB (EFBIG).",
    });
  });

  test("a folder for temporary files that is not there", async () => {
    vi.stubEnv("TMPDIR", join(workspace.root, "missing"));
    const options = { cwd: workspace.cwd, env: { EDITOR: "true" }, lend: <T>(use: () => Promise<T>) => use() };
    expect(await editExternally("a", options)).toEqual({ problem: "The text did not change: ENOENT." });
  });
});

test("signals of the keyboard are for the editor; afterwards they are for the process again", async () => {
  const seen = join(workspace.root, "seen");
  execFileSync("mkfifo", [seen]);
  const program = await editor('kill -INT $PPID; kill -QUIT $PPID; read -r both < "$SEEN"; echo edited > "$1"');
  const fixture = fileURLToPath(new URL("fixtures/edit.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=pikit-source", fixture], {
    env: { ...process.env, EDITOR: program, SEEN: seen },
    stdio: ["ignore", "pipe", "inherit"],
    detached: true,
  });
  // With the editor, which may still wait for the signals.
  child.once("exit", () => endGroup(child));
  onTestFinished(() => endGroup(child));
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  expect(await lines.next()).toMatchObject({ value: '{"text":"edited"}' });
  child.kill("SIGINT");
  expect(await lines.next()).toMatchObject({ value: "SIGINT" });
  expect(await lines.next()).toMatchObject({ done: true });
});

test("without the variables a program of the system is used, but none of the project", async () => {
  const program = await editor('echo edited > "$1"', "bin/vi");
  await editor("exit 1", "work/nano");
  const env = { PATH: `${workspace.cwd}:${join(workspace.root, "bin")}` };
  const hasSystemEditor = (await readdir("/usr/bin")).some((name) => name === "vi" || name === "nano");
  if (!hasSystemEditor) expect(await edit("a", env)).toEqual({ text: "edited" });
  expect(program).toContain("bin/vi");
  const none = await editExternally("a", {
    cwd: workspace.cwd,
    env: { PATH: workspace.cwd },
    platform: "win32",
    lend: () => Promise.reject(new Error("not called")),
  });
  expect(none).toEqual({
    problem: "There is no editor: set VISUAL or EDITOR, or externalEditor in the settings, for example to vi.",
  });
});

test("the command of the settings precedes those of the environment", async () => {
  const [chosen, other] = [await editor('echo chosen > "$1"', "chosen"), await editor("exit 1", "other")];
  const options = { cwd: workspace.cwd, env: { PATH: process.env.PATH, VISUAL: other }, lend: <T>(use: () => Promise<T>) => use() };
  expect(await editExternally("text", { ...options, command: `"${chosen}"` })).toEqual({ text: "chosen" });
  expect(await editExternally("text", options)).toHaveProperty("problem");
});
