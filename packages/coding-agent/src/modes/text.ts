import type { PromptInput } from "../prompt/prompt-input.ts";
import type { AgentSession } from "../session/agent-session.ts";
import type { AgentSessionEvent } from "../session/events.ts";
import { toWorkNote } from "./person-notes.ts";
import { runInOrder } from "./run-in-order.ts";
import { RunReport } from "./run-report.ts";
import { toTerminalText, writeError } from "./terminal-text.ts";

/** Characters of a call's arguments or result that are shown. */
const maxShown = 100;

/** What the mode writes to. */
export interface TextOutput {
  /** Answers. */
  stdout: { write(text: string): unknown; isTTY?: boolean };
  /** What the tools do, and errors. */
  stderr: { write(text: string): unknown };
}

/**
 * Runs prompts in order and shows the work: answers stream to stdout as they arrive; each tool call and its result, what goes wrong and
 * what is waited for are lines on stderr. An answer that begins again after a failure follows what had come of it before. Where stdout is
 * no terminal it gets the last answer only, when it is complete. Resolves with the exit code: 1 when the last answer failed or was aborted,
 * or the session could not be stored.
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

/** Turns events into lines for a person. */
class TextView {
  readonly #answers: { write(text: string): unknown } | undefined;
  readonly #work: { write(text: string): unknown };
  /** Whether the last text that was shown of an answer is within a line. */
  #isWithinLine = false;
  /** Whether anything was shown of the latest answer. */
  #hasShownText = false;

  /** @param answers - A terminal; undefined where answers are not shown as they arrive. */
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
        this.#line(`▸ ${event.toolName} ${shorten(JSON.stringify(event.args))}`);
        break;
      case "tool_execution_end":
        this.#line(`  ${event.isError ? "✗" : "✓"} ${shorten(firstText(event.result.content))}`);
        break;
      case "auto_retry_start":
        this.#line(`${toWorkNote(event)}${this.#hasShownText ? " The answer begins again." : ""}`);
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
    // Both may go to one terminal, where a note may come in the middle of an answer.
    writeError(`${this.#isWithinLine ? "\n" : ""}${text}`, this.#work);
  }
}

function firstText(content: readonly { type: string; text?: string }[]): string {
  return content.find(({ type }) => type === "text")?.text ?? "(an image)";
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > maxShown ? `${line.slice(0, maxShown)}…` : line;
}
