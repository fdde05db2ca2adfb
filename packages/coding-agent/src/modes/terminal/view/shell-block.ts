import type { BashExecutionMessage } from "../../../protocol/messages.ts";
import { type Block, WholeLines } from "../block.ts";
import { cutLine, formatSeconds, toSafeLine } from "../lines.ts";
import type { Theme } from "../theme/theme.ts";
import { LiveOutput } from "./live-output.ts";
import { renderResult } from "./tool-result.ts";

/** The end of a command of the user. */
export type ShellEnd = Pick<BashExecutionMessage, "output" | "exitCode" | "cancelled">;

export interface ShellBlockOptions {
  theme: Theme;
  /** Whether the model does not get the output. */
  isHidden: boolean;
  /** Whether more of the output is shown. */
  isFull(): boolean;
  /** Milliseconds. */
  now(): number;
}

/** A command of the user and its output. */
export class ShellBlock implements Block {
  /** Called when the block has changed. */
  onChange: ((isDone: boolean) => void) | undefined;
  readonly #command: string;
  readonly #options: ShellBlockOptions;
  readonly #startMs: number;
  readonly #output = new LiveOutput();
  #end: ShellEnd | undefined;
  readonly #whole = new WholeLines();

  constructor(command: string, options: ShellBlockOptions) {
    this.#command = command;
    this.#options = options;
    this.#startMs = options.now();
  }

  get isDone(): boolean {
    return this.#end !== undefined;
  }

  addOutput(chunk: string): void {
    this.#output.add(chunk);
    this.onChange?.(false);
  }

  end(end: ShellEnd): void {
    this.#end ??= end;
    this.onChange?.(true);
  }

  takeFinished(width: number): string[] {
    return this.#whole.take(this.isDone, () => this.#lines(width));
  }

  render(width: number): string[] {
    return this.#whole.rest(() => this.#lines(width));
  }

  #lines(width: number): string[] {
    const { theme, isHidden } = this.#options;
    const marks = isHidden ? "!!" : "!";
    const head = `${theme.accent(marks)} ${cutLine(toSafeLine(this.#command), width - marks.length - 1)}`;
    return [head, ...this.#below(width - 2).map((line) => (line === "" ? "" : `  ${line}`))];
  }

  #below(width: number): string[] {
    const { theme, isFull, now } = this.#options;
    if (!this.#end) {
      const ms = now() - this.#startMs;
      const time = ms >= 1000 ? [theme.dim(formatSeconds(ms))] : [];
      return [...this.#output.render(width, theme), ...time];
    }
    const { output, exitCode, cancelled } = this.#end;
    const result = { content: [{ type: "text" as const, text: output === "" ? "(no output)" : output }], details: null };
    const call = { toolName: "bash", args: {}, result, isError: false };
    const lines = renderResult(call, width, { theme, isFull: isFull() });
    if (cancelled) lines.push(theme.warning("Stopped."));
    else if (exitCode !== 0) lines.push(theme.error(exitCode === null ? "Ended by a signal." : `Exit code ${exitCode}`));
    return lines;
  }
}
