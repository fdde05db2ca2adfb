import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { until } from "@pikit/test-kit";
import { cleanEnvironment, cliArguments } from "./cli.ts";
import type { Workspace } from "./workspace.ts";

const run = promisify(execFile);

/** Whether tmux can be run. */
export const hasTmux: boolean = spawnSync("tmux", ["-V"], { stdio: "ignore" }).status === 0;

/** `pi` in a tmux of its own: a terminal that people use, with its own scrollback and its own way to wrap lines anew. */
export class TmuxTerminal {
  readonly #socket: string;
  #process = 0;

  private constructor(socket: string) {
    this.#socket = socket;
  }

  static async start(workspace: Workspace, args: readonly string[], { columns = 80, rows = 24 } = {}): Promise<TmuxTerminal> {
    const terminal = new TmuxTerminal(join(workspace.root, "tmux"));
    const variables = Object.entries(cleanEnvironment(workspace)).map(([name, value]) => `${name}=${value}`);
    const size = ["-x", String(columns), "-y", String(rows)];
    // The pane stays when the program has ended, so that it can be read.
    const settings = await workspace.write("tmux.conf", "set-option -g history-limit 50000\nset-option -g remain-on-exit on\n");
    await terminal.#tmux("-f", settings, "new-session", "-d", ...size, "-c", workspace.cwd, "cat");
    terminal.#process = Number(await terminal.#tmux("display-message", "-p", "#{pid}"));
    const command = ["env", "-u", "TMUX_PANE", ...variables, process.execPath, ...cliArguments, ...args];
    await terminal.#tmux("respawn-window", "-k", "-c", workspace.cwd, "--", ...command);
    return terminal;
  }

  /** Presses keys, by the names of tmux: `Enter`, `C-c`, `M-Enter`. */
  async press(...keys: string[]): Promise<void> {
    await this.#tmux("send-keys", ...keys);
  }

  /** Types a text as it is. */
  async type(text: string): Promise<void> {
    await this.#tmux("send-keys", "-l", "--", text);
  }

  /** Pastes a text, marked as pasted. */
  async paste(text: string): Promise<void> {
    await this.#tmux("set-buffer", "--", text);
    await this.#tmux("paste-buffer", "-p");
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#tmux("resize-window", "-x", String(columns), "-y", String(rows));
  }

  /** The lines of scrollback and screen, wrapped rows joined. */
  async lines(): Promise<string[]> {
    const text = await this.#tmux("capture-pane", "-p", "-J", "-S", "-");
    return text.split("\n").map((line) => line.trimEnd());
  }

  /** Resolves with the lines when they have `what`, or when `what` returns true for them. */
  async until(what: string | ((lines: readonly string[]) => boolean)): Promise<string[]> {
    let lines: string[] = [];
    const isMet = typeof what === "string" ? () => lines.join("\n").includes(what) : () => what(lines);
    await until(`the terminal shows ${String(what)}`, async () => {
      lines = await this.lines();
      return isMet();
    });
    return lines;
  }

  /** Whether the program has ended. */
  async hasEnded(): Promise<boolean> {
    return (await this.#tmux("display-message", "-p", "#{pane_dead}")).trim() === "1";
  }

  /** Ends tmux, and the program with it: its terminal hangs up. Works when the workspace with the socket of tmux is gone. */
  close(): void {
    process.kill(this.#process, "SIGKILL");
  }

  async #tmux(...args: readonly string[]): Promise<string> {
    const { stdout } = await run("tmux", ["-S", this.#socket, ...args], { maxBuffer: 64 * 1024 * 1024, env: process.env });
    return stdout;
  }
}
