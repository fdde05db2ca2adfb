import { homedir } from "node:os";
import { toTerminalText } from "../terminal-text.ts";

/** The state of the terminal for the rest of the mode: the drawn lines and the typed keys. */
export interface FirstScreen {
  /** The lines of the live region, with the cursor at the end of the last. */
  readonly lines: readonly string[];
  /** The column of the cursor. */
  readonly column: number;
  /** Ends the reading of keys; returns what was typed. */
  takeKeys(): string;
  /** Removes the prompt and gives the terminal back, when the session cannot be opened. */
  close(): void;
}

const eraseBelow = "\x1b[J";
const prompt = "› ";

/**
 * Shows the header and the prompt, and keeps what is typed. It needs nothing that takes time to load, so that the user sees at once that `pi`
 * is there.
 */
export function showFirstScreen(version: string, cwd: string, env: NodeJS.ProcessEnv = process.env): FirstScreen {
  const dim = env.NO_COLOR ? (text: string) => text : (text: string) => `\x1b[2m${text}\x1b[22m`;
  const header = dim(toTerminalText(`pi ${version} · ${shortenPath(cwd)}`));
  const lines = ["", prompt];
  let typed = "";
  const { stdin } = process;
  const keep = (text: string) => {
    typed += text;
  };
  // Before the prompt is shown: the terminal would print a key that comes in between.
  stdin.setRawMode(true);
  process.stdout.write(`${header}\r\n${lines.join("\r\n")}`);
  stdin.setEncoding("utf8").on("data", keep);
  stdin.resume();
  const takeKeys = () => {
    stdin.off("data", keep);
    return typed;
  };
  return {
    lines,
    column: prompt.length,
    takeKeys,
    close() {
      takeKeys();
      stdin.pause();
      stdin.setRawMode(false);
      process.stdout.write(`\x1b[${lines.length - 1}A\r${eraseBelow}`);
    },
  };
}

/** A path with `~` for the home folder. */
export function shortenPath(path: string, home: string = homedir()): string {
  if (path === home) return "~";
  return home !== "/" && path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
