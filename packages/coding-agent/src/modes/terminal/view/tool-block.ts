import type { AgentToolResult, ToolDisplay } from "@pikit/agent";
import type { ImageContent } from "@pikit/ai";
import { type Block, WholeLines } from "../block.ts";
import { type DrawnCall, ToolDrawing, type ToolDrawings } from "../extensions/tool-drawing.ts";
import { visibleWidth } from "../library.ts";
import { cutLine, formatSeconds, toSafeLine } from "../lines.ts";
import type { Theme } from "../theme/theme.ts";
import { drawImage } from "./images.ts";
import { LiveOutput } from "./live-output.ts";
import { describeArguments } from "./tool-head.ts";
import { describeResult, type EndedCall, renderResult } from "./tool-result.ts";

export interface ToolBlockOptions {
  theme: Theme;
  cwd: string;
  /** Whether more of the output is shown. Read each time the block is drawn. */
  isFull(): boolean;
  /** Milliseconds. */
  now(): number;
  /** The renderers of extensions. Default: none. */
  drawings?: ToolDrawings | undefined;
}

/** A tool call whose arguments may still grow. */
export interface GrowingCall {
  id?: string;
  name: string;
  arguments: Record<string, unknown>;
}

/** A tool call: one line while its arguments stream, with the end of its output while it runs, and with its result when it has ended. */
export class ToolBlock implements Block {
  readonly #options: ToolBlockOptions;
  readonly #call: () => GrowingCall;
  /** The text of the tool about the call. */
  #callText: string | undefined;
  #startMs: number | undefined;
  #endMs: number | undefined;
  readonly #output = new LiveOutput();
  #hasOwnOutput = false;
  #ended: EndedCall | undefined;
  #partial: AgentToolResult | undefined;
  #drawing: ToolDrawing | undefined;
  #isAbandoned = false;
  #kept: { width: number; isFull: boolean; lines: string[] } | undefined;
  readonly #whole = new WholeLines();

  /** @param call - Returns the call; its arguments may still grow. */
  constructor(call: () => GrowingCall, options: ToolBlockOptions) {
    this.#call = call;
    this.#options = options;
  }

  get isDone(): boolean {
    return this.#ended !== undefined || this.#isAbandoned;
  }

  get isRunning(): boolean {
    return this.#startMs !== undefined && !this.isDone;
  }

  /** The call begins to run. */
  start(display: ToolDisplay = {}): void {
    this.#startMs ??= this.#options.now();
    this.#drawing ??= ToolDrawing.for(this.#call().name, this.#options.drawings);
    this.#callText ??= display.call;
  }

  /** Adds output of the running command. The texts of `update` are then not shown. */
  addOutput(chunk: string): void {
    this.#hasOwnOutput = true;
    this.#output.add(chunk);
  }

  /** Shows the output so far. */
  update(partial: AgentToolResult): void {
    this.#partial = partial;
    const { content, display } = partial;
    if (this.#hasOwnOutput) return;
    const lines = display?.result;
    this.#output.set(lines ? lines.join("\n") : (content.findLast((block) => block.type === "text")?.text ?? ""));
  }

  end(result: AgentToolResult, isError: boolean): void {
    if (this.isDone) return;
    const { name: toolName, arguments: args } = this.#call();
    this.#endMs = this.#options.now();
    this.#drawing ??= ToolDrawing.for(toolName, this.#options.drawings);
    this.#callText = result.display?.call ?? this.#callText;
    this.#ended = { toolName, args, result, isError };
  }

  /** The call will not run, or its end will not be reported. */
  abandon(): void {
    if (!this.isDone) this.#isAbandoned = true;
  }

  takeFinished(width: number): string[] {
    return this.#whole.take(this.isDone, () => [...this.#lines(width), ...this.#images(width)]);
  }

  render(width: number): string[] {
    return this.#whole.rest(() => this.#lines(width));
  }

  /** A call that has ended may wait for one above it, so its lines are kept. */
  #lines(width: number): string[] {
    if (!this.isDone) return this.#renderLines(width);
    const isFull = this.#options.isFull();
    if (this.#kept?.width !== width || this.#kept.isFull !== isFull) {
      this.#kept = { width, isFull, lines: this.#renderLines(width) };
    }
    return this.#kept.lines;
  }

  #renderLines(width: number): string[] {
    const { theme } = this.#options;
    const drawing = this.#drawing;
    const call = drawing && this.#drawnCall();
    const isFramed = !drawing?.isSelfFramed;
    const inner = isFramed ? width - 2 : width;
    const head = call && drawing.callLines(call, inner, theme);
    const below =
      (call && drawing.resultLines(call, inner, theme)) ??
      this.#defaultBelow(width - 2).map((line) => (isFramed ? line : `  ${line}`));
    if (!isFramed) return [...(head ?? [this.#headLine(width)]), ...below];
    const [first, ...others] =
      head && head.length > 0 ? [`${this.#mark()} ${head[0]}`, ...head.slice(1).map(indent)] : [this.#headLine(width)];
    return [first ?? "", ...others, ...below.map(indent)];
  }

  #defaultBelow(width: number): string[] {
    const { theme, isFull } = this.#options;
    if (this.#ended) return renderResult(this.#ended, width, { theme, isFull: isFull() });
    return this.isRunning ? this.#output.render(width, theme) : [];
  }

  #drawnCall(): DrawnCall {
    const { id = "", name, arguments: args } = this.#call();
    const ended = this.#ended;
    return {
      ...{
        id,
        name,
        args,
        cwd: this.#options.cwd,
        isStarted: this.#startMs !== undefined,
        isEnded: this.isDone,
        isFull: this.#options.isFull(),
      },
      ...{ result: ended?.result ?? this.#partial, isError: ended?.isError ?? false },
    };
  }

  #headLine(width: number): string {
    const { theme, cwd } = this.#options;
    const { name, arguments: args } = this.#call();
    const shownName = cutLine(toSafeLine(name), Math.max(1, Math.min(width - 2, Math.max(10, width - 30))));
    const suffix = this.#suffix();
    const room = width - 2 - visibleWidth(shownName) - 2;
    // In a very narrow terminal, only the name is shown.
    const suffixRoom = suffix === "" || visibleWidth(suffix) > room ? 0 : visibleWidth(suffix) + 2;
    const about = this.#callText === undefined ? describeArguments(name, args, cwd) : toSafeLine(this.#callText);
    const summary = room - suffixRoom < 4 ? "" : cutLine(about, room - suffixRoom);
    const words = [theme.tool(shownName), summary, suffixRoom === 0 ? "" : this.#styleSuffix(suffix)].filter((word) => word !== "");
    return `${this.#mark()} ${words.join("  ")}`;
  }

  #mark(): string {
    const { theme } = this.#options;
    if (this.#ended) return this.#ended.isError ? theme.error("✗") : theme.success("✓");
    return this.#isAbandoned ? theme.warning("✗") : theme.accent("▸");
  }

  #suffix(): string {
    if (this.#isAbandoned) return "not run";
    const words = this.#ended ? [describeResult(this.#ended)] : [];
    const ms = this.#startMs === undefined ? 0 : (this.#endMs ?? this.#options.now()) - this.#startMs;
    if (ms >= 1000) words.push(formatSeconds(ms));
    return words.filter((word) => word !== "").join("  ");
  }

  #styleSuffix(suffix: string): string {
    const { theme } = this.#options;
    const [, added, removed, rest = ""] = /^(\+\d+) (-\d+)(.*)$/.exec(suffix) ?? [];
    if (added === undefined || removed === undefined) return theme.dim(suffix);
    return `${theme.added(added)} ${theme.removed(removed)}${theme.dim(rest)}`;
  }

  #images(width: number): string[] {
    const images = (this.#ended?.result.content ?? []).filter((block): block is ImageContent => block.type === "image");
    return images.flatMap((image) => drawImage(image, width) ?? []);
  }
}

function indent(line: string): string {
  return line === "" ? "" : `  ${line}`;
}
