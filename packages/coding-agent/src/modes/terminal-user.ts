import { createInterface, type Interface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import {
  type ApprovalAnswer,
  type ApprovalQuestion,
  absentUser,
  answersTo,
  type Clarification,
  type ClarificationAnswer,
  type Confirmation,
  type DialogOptions,
  type UserInterface,
} from "../user-interface.ts";
import { toTerminalText, writeError } from "./terminal-text.ts";

/** The answers to an approval that last, and what is typed for them. */
const longerAnswers = [
  { key: "a", decision: "session" },
  { key: "s", decision: "always" },
  { key: "x", decision: "never" },
  { key: "f", decision: "forbid" },
] as const;

/**
 * Asks the user on a terminal, in plain lines: questions on stderr, answers from stdin. The terminal keeps its own line editing, and Ctrl-C
 * still ends the process. One dialog at a time.
 */
export class TerminalUser implements UserInterface {
  readonly #stdin: Readable;
  readonly #stderr: Writable;
  #last: Promise<unknown> = Promise.resolve();

  constructor({ stdin, stderr }: { stdin: Readable; stderr: Writable } = process) {
    this.#stdin = stdin;
    this.#stderr = stderr;
  }

  async confirm({ title, message }: Confirmation, options?: DialogOptions): Promise<boolean> {
    const answer = await this.#ask([title, indent(message)], "[y/N] ", options);
    return answer !== undefined && /^y(?:es)?$/i.test(answer);
  }

  async approve(question: ApprovalQuestion, options?: DialogOptions): Promise<ApprovalAnswer> {
    const { title, reasons, call, sessionScope, ruleFile } = question;
    const labels = {
      session: `yes, for this session (${sessionScope})`,
      always: `yes, always (the same rule in ${ruleFile})`,
      never: "no, for this session",
      forbid: "no, always",
    };
    const possible = answersTo(question);
    const lasting = longerAnswers.filter(({ decision }) => possible.includes(decision));
    const choices = ["y: yes, once", ...lasting.map(({ key, decision }) => `${key}: ${labels[decision]}`)];
    const lines = [
      title,
      ...(reasons === "" ? [] : [reasons]),
      indent(call),
      `${choices.join("; ")}; any other text: no, for this reason`,
    ];
    const answer = (await this.#ask(lines, "[y/N] ", options)) ?? "";
    if (/^y(?:es)?$/i.test(answer)) return { decision: "once" };
    const isTyped = ({ key }: { key: string }) => key === answer.toLowerCase();
    const longer = lasting.find(isTyped);
    if (longer) return { decision: longer.decision };
    return { decision: "no", ...(/^(?:no?)?$/i.test(answer) || longerAnswers.some(isTyped) ? {} : { reason: answer }) };
  }

  async select(
    { title, options: choices }: { title: string; options: readonly string[] },
    options?: DialogOptions,
  ): Promise<string | undefined> {
    const list = choices.map((choice, index) => `  ${index + 1}. ${choice}`);
    const answer = await this.#ask([title, ...list], "Number (Enter: none): ", options);
    return answer === undefined ? undefined : (choices[Number(answer) - 1] ?? choices.find((choice) => choice === answer));
  }

  async input(
    { title, placeholder }: { title: string; placeholder?: string },
    options?: DialogOptions,
  ): Promise<string | undefined> {
    return (await this.#ask([title], placeholder === undefined ? "> " : `(${placeholder}) > `, options)) || undefined;
  }

  async editor({ title, prefill }: { title: string; prefill?: string }, options?: DialogOptions): Promise<string | undefined> {
    const shown = prefill === undefined ? [] : [indent(prefill)];
    const text = await this.#askLines([title, ...shown, "Several lines; an empty line ends the text."], options);
    return text || undefined;
  }

  async clarify({ message, suggestions }: Clarification, options?: DialogOptions): Promise<ClarificationAnswer> {
    const answer = await this.#ask(
      [message, `(${suggestions.join(", ")})`],
      "y: continue, Enter: stop, a text: continue with this hint > ",
      options,
    );
    if (!answer || /^no?$/i.test(answer)) return { action: "stop" };
    return /^y(?:es)?$/i.test(answer) ? { action: "continue" } : { action: "continue", hint: answer };
  }

  /** Reads a line that is not an answer to a question; undefined when the input has ended. */
  readLine(prompt: string): Promise<string | undefined> {
    return this.#inTurn({ keepsTyped: true }, async (read) => (await read(prompt))?.trim());
  }

  notify(message: string): void {
    writeError(message, this.#stderr);
  }

  readonly setStatus = absentUser.setStatus;
  readonly setWidget = absentUser.setWidget;
  readonly setTitle = absentUser.setTitle;
  readonly setEditorText = absentUser.setEditorText;

  /** Reads one line; undefined after an abort, a timeout or the end of the input. */
  #ask(lines: readonly string[], prompt: string, options: DialogOptions = {}): Promise<string | undefined> {
    return this.#inTurn(options, async (read) => {
      this.#show(lines);
      return (await read(prompt))?.trim();
    });
  }

  #askLines(lines: readonly string[], options: DialogOptions = {}): Promise<string | undefined> {
    return this.#inTurn(options, async (read) => {
      this.#show(lines);
      const typed: string[] = [];
      for (let line = await read("> "); line !== undefined && line !== ""; line = await read("> ")) typed.push(line);
      return typed.join("\n");
    });
  }

  #show(lines: readonly string[]): void {
    // A line of its own: an answer may stream to the same terminal.
    for (const line of ["", ...lines]) writeError(line, this.#stderr);
  }

  /**
   * Runs a dialog after the earlier ones. `read` asks for one line.
   *
   * @param options - `keepsTyped`: whether what was typed before counts. Default false.
   */
  async #inTurn<T>(
    { signal, timeoutMs, keepsTyped = false }: DialogOptions & { keepsTyped?: boolean },
    dialog: (read: (prompt: string) => Promise<string | undefined>) => Promise<T>,
  ): Promise<T | undefined> {
    const turn = this.#last.then(async () => {
      if (signal?.aborted) return undefined;
      if (!keepsTyped) await this.#discardTyped();
      const signals = [...(signal ? [signal] : []), ...(timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)])];
      const lines = new TypedLines(this.#stdin, AbortSignal.any(signals));
      try {
        return await dialog((prompt) => {
          this.#stderr.write(toTerminalText(prompt));
          return lines.next();
        });
      } finally {
        if (lines.isOver) writeError("", this.#stderr);
        lines.close();
        this.#stdin.pause();
      }
    });
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** Drops what was typed before the question was shown, so that it does not count as the answer. */
  async #discardTyped(): Promise<void> {
    this.#stdin.resume();
    for (let turn = 0; turn < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    this.#stdin.pause();
  }
}

/** The lines that are typed during a dialog, also those that come several at once, such as a pasted text. */
class TypedLines {
  readonly #interface: Interface;
  readonly #lines: string[] = [];
  #wake = () => {};
  #isOver = false;

  constructor(input: Readable, signal: AbortSignal) {
    this.#interface = createInterface({ input, terminal: false });
    this.#interface.on("line", (line) => {
      this.#lines.push(line);
      this.#wake();
    });
    const end = () => {
      this.#isOver = true;
      this.#wake();
    };
    this.#interface.once("close", end);
    if (signal.aborted || input.readableEnded) end();
    else signal.addEventListener("abort", end, { once: true });
  }

  /** Whether no more lines come: the input has ended, or the dialog was aborted. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves with the next line; undefined when no more lines come. */
  async next(): Promise<string | undefined> {
    while (this.#lines.length === 0 && !this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.#lines.shift();
  }

  close(): void {
    this.#interface.close();
  }
}

function indent(text: string): string {
  return text
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
}
