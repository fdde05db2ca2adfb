import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { importOptions } from "@pikit/test-kit";
import { onTestFinished } from "vitest";
import { cliArguments } from "./cli.ts";

const packageFolder = fileURLToPath(new URL("../..", import.meta.url));
const docsFolder = join(packageFolder, "../../docs");

/** A block of code in a page. */
interface Block {
  language: string;
  code: string;
}

/** A page of the documentation, with folders for a test. They are removed at its end. */
export interface Recipe {
  /** The blocks of code, in order. */
  blocks: Block[];
  /** Inside the package, so that programs find what a user's own project would have installed. */
  programs: string;
  /** A folder of the user, with a README.md. */
  work: string;
  /** The variables of programs: a home, and a folder of the agent. */
  env: Record<string, string>;
  /** Writes the only block in this language to a file of `programs`, and returns its path. */
  write(language: string, name: string): string;
  /** Writes a script and returns the name of the model that plays it. */
  script(...answers: object[]): string;
}

/** @param folder - The folder of the page, in docs. */
export function openRecipe(page: string, folder = "recipes"): Recipe {
  const root = mkdtempSync(join(tmpdir(), "recipe-"));
  const programs = join(packageFolder, `test/.generated-recipes/${page}`);
  const work = join(root, "work");
  for (const each of [programs, work]) mkdirSync(each, { recursive: true });
  onTestFinished(() => {
    for (const each of [root, programs]) rmSync(each, { recursive: true, force: true, maxRetries: 5 });
  });
  writeFileSync(join(work, "README.md"), "# Sample\n\nA folder for the examples to look at.\n");
  const text = readFileSync(join(docsFolder, folder, `${page}.md`), "utf8");
  const blocks = [...text.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = "", code = ""]) => ({ language, code }));
  let scripts = 0;
  return {
    blocks,
    programs,
    work,
    env: { PATH: process.env.PATH ?? "", HOME: root, PI_CODING_AGENT_DIR: join(root, "agent") },
    write: (language, name) => {
      const [block, ...others] = blocks.filter((each) => each.language === language);
      if (!block || others.length > 0)
        throw new Error(`${page}.md has ${others.length + (block ? 1 : 0)} blocks of ${language}, not 1.`);
      mkdirSync(dirname(join(programs, name)), { recursive: true });
      writeFileSync(join(programs, name), block.code);
      return join(programs, name);
    },
    script: (...answers) => {
      scripts += 1;
      const path = join(root, `answers-${scripts}.jsonl`);
      writeFileSync(path, answers.map((answer) => `${JSON.stringify(answer)}\n`).join(""));
      return `script/${path}`;
    },
  };
}

export const hasPython = spawnSync("python3", ["--version"]).status === 0;

/** Makes a command `pi`, with these options before all others. Returns the folder for the PATH. */
export function putPi(folder: string, ...options: string[]): string {
  const bin = join(folder, "bin");
  mkdirSync(bin, { recursive: true });
  const words = [process.execPath, ...cliArguments, ...options].map((word) => `'${word}'`);
  writeFileSync(join(bin, "pi"), `#!/bin/sh\nexec ${words.join(" ")} "$@"\n`);
  chmodSync(join(bin, "pi"), 0o755);
  return bin;
}

/** A program with its output so far. */
interface Running {
  child: ChildProcessWithoutNullStreams;
  stdout(): string;
  stderr(): string;
  /** Resolves with its exit code, or its signal, when its output has ended. */
  ended: Promise<number | string | null>;
}

/** Starts a program of a recipe; it ends with the test at the latest. */
export function start(
  command: string,
  args: readonly string[],
  options: { cwd: string; env: Record<string, string>; detached?: boolean },
): Running {
  const child = spawn(command, args, options);
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name].setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  }
  onTestFinished(() => void child.kill("SIGKILL"));
  const ended = new Promise<number | string | null>((resolve, reject) => {
    child.on("error", reject).on("close", (code, signal) => resolve(code ?? signal));
  });
  return { child, stdout: () => output.stdout, stderr: () => output.stderr, ended };
}

/** Starts a TypeScript program that imports the packages. */
export function startNode(file: string, args: readonly string[], options: { cwd: string; env: Record<string, string> }): Running {
  return start(process.execPath, [...importOptions, file, ...args], options);
}
