import type { AgentSession, AgentSessionEvent } from "../agent-session.ts";
import type { PromptInput } from "../prompt/prompt-input.ts";
import { outcomeOf } from "./outcome.ts";
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
 * Runs prompts in order and shows the work: answers stream to stdout as they arrive, each tool call and its result is a line on stderr.
 * Where stdout is no terminal it gets the last answer only, when it is complete. Resolves with the exit code: 1 when the last answer
 * failed or was aborted.
 */
export async function runTextMode(
  session: AgentSession,
  prompts: readonly PromptInput[],
  { stdout, stderr }: TextOutput = process,
): Promise<number> {
  const isLive = stdout.isTTY === true;
  const view = new TextView({ write: (text) => isLive && stdout.write(toTerminalText(text)) }, stderr);
  session.subscribe((event) => view.show(event));
  for (const { text, ...rest } of prompts) if (!session.isShuttingDown) await session.prompt(text, rest);
  const { text, error } = outcomeOf(session);
  await session.dispose();
  if (error !== undefined) {
    writeError(error, stderr);
    return 1;
  }
  if (!isLive) stdout.write(`${text}\n`);
  return 0;
}

/** Turns events into lines for a person. */
class TextView {
  readonly #answers: { write(text: string): unknown };
  readonly #work: { write(text: string): unknown };
  #endsWithinLine = false;

  constructor(answers: { write(text: string): unknown }, work: { write(text: string): unknown }) {
    this.#answers = answers;
    this.#work = work;
  }

  show(event: AgentSessionEvent): void {
    switch (event.type) {
      case "message_update":
        if (event.assistantMessageEvent.type === "text_delta") this.#answer(event.assistantMessageEvent.delta);
        break;
      case "message_end":
        if (event.message.role === "assistant" && this.#endsWithinLine) this.#answer("\n");
        break;
      case "tool_execution_start":
        this.#line(`▸ ${event.toolName} ${shorten(JSON.stringify(event.args))}`);
        break;
      case "tool_execution_end":
        this.#line(`  ${event.isError ? "✗" : "✓"} ${shorten(firstText(event.result.content))}`);
        break;
      case "error":
        this.#line(event.error);
        break;
      default:
        break; // the rest tells a person nothing new
    }
  }

  #answer(text: string): void {
    this.#answers.write(text);
    this.#endsWithinLine = !text.endsWith("\n");
  }

  #line(text: string): void {
    this.#work.write(`${toTerminalText(text)}\n`);
  }
}

function firstText(content: readonly { type: string; text?: string }[]): string {
  return content.find(({ type }) => type === "text")?.text ?? "(an image)";
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > maxShown ? `${line.slice(0, maxShown)}…` : line;
}
