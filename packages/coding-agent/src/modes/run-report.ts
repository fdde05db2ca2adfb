import type { AgentSession } from "../session/agent-session.ts";
import { endInTime } from "./end-in-time.ts";
import type { Outcome } from "./outcome.ts";
import { writeError } from "./terminal-text.ts";

export interface RunReportOptions {
  /** Default: stderr of the process. */
  stderr?: { write(text: string): unknown };
  /** Whether the mode itself shows the session's `error` events on stderr; the report then does not repeat them. */
  showsErrors?: boolean;
}

/** The result of the prompts of a command line. */
export interface RunEnd {
  /** The text of the last answer; undefined if the answer failed or was aborted. */
  answer: string | undefined;
  /** 1 if there is no answer, or the session could not be stored. */
  exitCode: 0 | 1;
}

/** Ends the modes that run the prompts of a command line. It reports each error once, as a line on stderr. */
export class RunReport {
  readonly #session: AgentSession;
  readonly #stderr: { write(text: string): unknown };
  readonly #reported = new Set<string>();

  /** Must be called before the session starts. */
  constructor(session: AgentSession, { stderr = process.stderr, showsErrors = false }: RunReportOptions = {}) {
    this.#session = session;
    this.#stderr = stderr;
    if (showsErrors) session.subscribe((event) => void (event.type === "error" && this.#reported.add(event.error)));
  }

  /** Closes the session, which tries a last time to store its unsaved entries, and reports errors. */
  async end({ text, error }: Outcome): Promise<RunEnd> {
    await endInTime(this.#session.dispose());
    const { unsavedReason } = this.#session.history;
    for (const problem of [unsavedReason, error]) {
      if (problem !== undefined && !this.#reported.has(problem)) writeError(problem, this.#stderr);
    }
    const isAnswered = error === undefined;
    return { answer: isAnswered ? text : undefined, exitCode: isAnswered && unsavedReason === undefined ? 0 : 1 };
  }
}
