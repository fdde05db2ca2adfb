import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { runCli } from "../../helpers/cli.ts";
import { isInstalled } from "../../helpers/terminal.ts";
import { useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

async function scriptFor(shell: string): Promise<string> {
  const { stdout, exitCode } = await runCli(workspace, ["completion", shell]);
  expect(exitCode).toBe(0);
  return workspace.write(`completion.${shell}`, stdout);
}

const lines = [
  ["--mod", ["--mode", "--model", "--models"]],
  ["--mode j", ["json"]],
  ["-c --thinking hi", ["high"]],
  ["ses", ["sessions"]],
  ["completion z", ["zsh"]],
  ["rpc v", ["validate"]],
] as const;

test("bash completes subcommands, options, their values and @files", async () => {
  const script = await scriptFor("bash");
  await workspace.write("work/notes.txt", "");
  for (const [line, expected] of [...lines, ["@not", ["@notes.txt"]]] as const) {
    const words = line.split(" ");
    const program = `source '${script}'; COMP_WORDS=(pi ${words.join(" ")}); COMP_CWORD=${words.length}; _pi; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout } = await promisify(execFile)("bash", ["--norc", "-c", program], { cwd: workspace.cwd });
    expect({ line, completed: stdout.trim().split("\n") }).toEqual({ line, completed: expected });
  }
});

test.skipIf(!isInstalled("fish"))("fish completes the same", async () => {
  const script = await scriptFor("fish");
  for (const [line, expected] of lines) {
    const program = `source '${script}'; complete -C 'pi ${line}'`;
    const { stdout } = await promisify(execFile)("fish", ["--no-config", "-c", program], {
      cwd: workspace.cwd,
      env: { PATH: process.env.PATH, HOME: workspace.root },
    });
    const completed = stdout
      .trim()
      .split("\n")
      .map((each) => each.split("\t")[0]);
    expect({ line, completed }).toEqual({ line, completed: expected });
  }
});

test.skipIf(!isInstalled("zsh"))("the script for zsh can be read by zsh", async () => {
  const script = await scriptFor("zsh");
  const program = `compdef() { print -r -- "compdef $*" }; source '${script}'; whence -w _pi`;
  const { stdout } = await promisify(execFile)("zsh", ["-f", "-c", program]);
  expect(stdout).toBe("compdef _pi pi\n_pi: function\n");
});

test("another shell is refused with the known ones", async () => {
  const { stderr, exitCode } = await runCli(workspace, ["completion", "zhs"]);
  expect(stderr).toBe('Usage: pi completion bash|zsh|fish Did you mean "zsh"?\n');
  expect(exitCode).toBe(2);
});
