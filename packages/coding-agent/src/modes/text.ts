import type { AgentToolResult } from "@pikit/agent";
import type { PromptInput } from "../prompt/prompt-input.ts";
import type { AgentSession } from "../session/agent-session.ts";
import type { AgentSessionEvent } from "../session/events.ts";
import { toWorkNote } from "./person-notes.ts";
import { runInOrder } from "./run-in-order.ts";
import { RunReport } from "./run-report.ts";
import { toTerminalText, writeError } from "./terminal-text.ts";

/** Maximum characters shown of the arguments or the result of a tool call. */
const maxShown = 100;
/** Maximum lines shown of the text of a tool for people, and maximum characters of each. */
const maxDisplayLines = 20;
const maxDisplayWidth = 200;

/** The outputs of the mode. */
export interface TextOutput {
  /** For answers. */
  stdout: { write(text: string): unknown; isTTY?: boolean };
  /** For tool calls and errors. */
  stderr: { write(text: string): unknown };
}

/**
 * Runs the prompts in order and shows the work: answers stream to stdout; tool calls, their results, errors and waits are lines on stderr. A
 * repeated answer follows the incomplete one. If stdout is not a terminal, only the last answer is written, when it is complete. Resolves with
 * the exit code: 1 if the last answer failed or was aborted, or the session could not be stored.
 */
export async function runTextMode(
  session: AgentSession,
  prompts: Promise<readonly PromptInput[]>,
  { stdout, stderr }: TextOutput = process,
): Promise<number> {
  const isLive = stdout.isTTY === true;
  const view = new TextView(isLive ? stdout : undefined, stderr);
  session.subscribe((event) => view.show(event));
  const report = new RunReport(session, { stderr, showsErrors: true });
  const { answer, exitCode } = await report.end(await runInOrder(session, prompts, (failure) => writeError(failure, stderr)));
  if (!isLive && answer !== undefined) stdout.write(`${answer}\n`);
  return exitCode;
}

/** Shows events to the user as text. */
export class TextView {
  readonly #answers: { write(text: string): unknown } | undefined;
  readonly #work: { write(text: string): unknown };
  /** Whether the shown text of an answer ends within a line. */
  #isWithinLine = false;
  /** Whether text of the latest answer was shown. */
  #hasShownText = false;

  /** @param answers - A terminal; undefined if answers are not shown while they stream. */
  constructor(answers: { write(text: string): unknown } | undefined, work: { write(text: string): unknown }) {
    this.#answers = answers;
    this.#work = work;
  }

  show(event: AgentSessionEvent): void {
    switch (event.type) {
      case "message_start":
        this.#hasShownText = false;
        break;
      case "message_update":
        if (event.assistantMessageEvent.type === "text_delta") this.#answer(event.assistantMessageEvent.delta);
        break;
      case "tool_execution_start":
        this.#line(`▸ ${event.toolName} ${shorten(event.display?.call ?? JSON.stringify(event.args))}`);
        break;
      case "tool_execution_end":
        this.#line(`  ${event.isError ? "✗" : "✓"} ${describeResult(event.result)}`.trimEnd());
        break;
      case "auto_retry_start":
        this.#line(`${toWorkNote(event)}${this.#hasShownText ? " The answer starts again." : ""}`);
        break;
      default: {
        if (event.type === "message_end" && this.#isWithinLine) this.#answer("\n");
        const note = toWorkNote(event);
        if (note !== undefined) this.#line(note);
      }
    }
  }

  #answer(text: string): void {
    if (!this.#answers) return;
    this.#answers.write(toTerminalText(text));
    this.#hasShownText = true;
    this.#isWithinLine = !text.endsWith("\n");
  }

  #line(text: string): void {
    // Both outputs may be the same terminal, and a note may come in the middle of an answer.
    writeError(`${this.#isWithinLine ? "\n" : ""}${text}`, this.#work);
  }
}

/** The text of the tool for people, else the beginning of the content. */
function describeResult({ content, display }: AgentToolResult): string {
  if (!display?.result) return shorten(firstText(content));
  const lines = display.result.slice(0, maxDisplayLines).map((line) => line.slice(0, maxDisplayWidth));
  const left = display.result.length - lines.length;
  return [...lines, ...(left > 0 ? [`… ${left} more lines`] : [])].join("\n    ");
}

function firstText(content: readonly { type: string; text?: string }[]): string {
  return content.find(({ type }) => type === "text")?.text ?? "(an image)";
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > maxShown ? `${line.slice(0, maxShown)}…` : line;
}
