import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFile, readWhole, reasonOf } from "@pikit/ai/files";
import { findProgram } from "../../../exec/find-program.ts";
import { rememberModes } from "./terminal-modes.ts";

export interface ExternalEditorOptions {
  /** The working folder of the editor. */
  cwd: string;
  /** The command of the editor, with its arguments. Default: that of the environment. */
  command?: string | undefined;
  /** Default: that of the process. */
  env?: NodeJS.ProcessEnv;
  /** Default: that of the process. */
  platform?: NodeJS.Platform;
  /** Gives the terminal to the editor, as `Stage.lend` does. */
  lend<T>(use: () => Promise<T>): Promise<T>;
}

/** The edited text, or a sentence about why the text did not change. */
export type EditedText = { text: string } | { problem: string };

/** Maximum bytes of the edited text. */
const maxBytes = 4 * 1024 * 1024;

/**
 * Opens a text in the user's editor: `command`, else `$VISUAL`, else `$EDITOR`, else vi or nano (notepad on Windows). The variables may hold arguments. The
 * text is in a private temporary file, which is removed afterwards. Never rejects.
 */
export async function editExternally(text: string, options: ExternalEditorOptions): Promise<EditedText> {
  const command = await chooseEditor(options);
  if (command === undefined)
    return { problem: "There is no editor: set VISUAL or EDITOR, or externalEditor in the settings, for example to vi." };
  let folder: string | undefined;
  try {
    folder = await mkdtemp(join(tmpdir(), "pi-prompt-"));
    const path = join(folder, "prompt.md");
    await writeNew(path, text);
    const problem = await options.lend(() => runEditor(command, path, options));
    if (problem !== undefined) return { problem: `The text did not change: ${command.join(" ")} ${problem}.` };
    const edited = (await readWhole(path, maxBytes)).toString("utf8");
    // Editors end the last line of a file.
    return {
      text: edited
        .replace(/^\uFEFF/, "")
        .replace(/\r\n/g, "\n")
        .replace(/\n$/, ""),
    };
  } catch (error) {
    return { problem: `The text did not change: ${reasonOf(error)}.` };
  } finally {
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  }
}

async function chooseEditor({ cwd, command: chosen, env = process.env, platform = process.platform }: ExternalEditorOptions) {
  const command = chosen?.trim() || env.VISUAL?.trim() || env.EDITOR?.trim();
  if (command) return splitCommand(command, platform);
  for (const name of platform === "win32" ? ["notepad.exe"] : ["vi", "nano"]) {
    const path = await findProgram(name, { cwd, searchPath: env.PATH });
    if (path !== undefined) return [path];
  }
  return undefined;
}

const wordPattern = /"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:[^\s"'\\]|\\.)+)|(\s+)/gs;
const windowsWordPattern = /"([^"]*)"|([^\s"]+)|(\s+)/g;

/** Splits a command into words as a shell does, but without substitutions. */
function splitCommand(command: string, platform: NodeJS.Platform): string[] {
  const isWindows = platform === "win32";
  const words: string[] = [""];
  const pattern = isWindows ? windowsWordPattern : wordPattern;
  for (const [part, ...groups] of command.matchAll(pattern)) {
    if (groups.at(-1) !== undefined) words.push("");
    else if (isWindows) words.push(`${words.pop()}${groups[0] ?? part}`);
    else {
      const [double, single, plain] = groups;
      words.push(`${words.pop()}${single ?? (double ?? plain ?? "").replace(/\\(.)/gs, "$1")}`);
    }
  }
  return words;
}

async function writeNew(path: string, text: string): Promise<void> {
  const { file } = await openFile(path, { use: "create", mode: 0o600 });
  try {
    await file.writeFile(text === "" ? "" : `${text}\n`);
  } finally {
    await file.close();
  }
}

/** Runs the editor in the foreground. Returns the problem, as the end of a sentence; undefined if it ended normally. */
async function runEditor(command: readonly string[], path: string, options: ExternalEditorOptions) {
  const platform = options.platform ?? process.platform;
  const restoreSignals = setSignalsAside(platform);
  const restoreModes = rememberModes(platform);
  try {
    const { problem, isKilled } = await waitForEditor(command, path, options);
    if (isKilled) restoreModes();
    return problem;
  } finally {
    restoreSignals();
  }
}

function waitForEditor(
  [program = "", ...args]: readonly string[],
  path: string,
  { cwd, env = process.env }: ExternalEditorOptions,
) {
  const { promise, resolve } = Promise.withResolvers<{ problem?: string; isKilled?: boolean }>();
  const child = spawn(program, [...args, path], { cwd, env, stdio: "inherit" });
  child.once("error", (error) => resolve({ problem: `cannot be started: ${reasonOf(error)}` }));
  child.once("exit", (code, signal) => {
    if (signal) resolve({ problem: `was ended by ${signal}`, isKilled: true });
    else resolve(code === 0 ? {} : { problem: `ended with exit code ${code}` });
  });
  return promise;
}

/**
 * Leaves the signals of the keyboard to the editor: they go to all processes in the foreground, so Ctrl-C in the editor would also end this
 * process. Ctrl-Z stops both, and `fg` continues both, without the work that they do otherwise.
 *
 * @returns A function that restores the listeners.
 */
function setSignalsAside(platform: NodeJS.Platform): () => void {
  const ignored: readonly NodeJS.Signals[] = platform === "win32" ? ["SIGINT"] : ["SIGINT", "SIGQUIT"];
  const others: readonly NodeJS.Signals[] = platform === "win32" ? [] : ["SIGTSTP", "SIGCONT"];
  const ignore = () => undefined;
  const saved = [...ignored, ...others].map((signal) => ({ signal, listeners: process.rawListeners(signal) }));
  for (const signal of ignored) process.on(signal, ignore);
  for (const { signal, listeners } of saved) for (const each of listeners) process.off(signal, each as NodeJS.SignalsListener);
  return () => {
    for (const { signal, listeners } of saved) for (const each of listeners) process.on(signal, each as NodeJS.SignalsListener);
    for (const signal of ignored) process.off(signal, ignore);
  };
}
