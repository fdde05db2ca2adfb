import type { AgentSession } from "../session/agent-session.ts";
import { endInTime } from "./end-in-time.ts";
import type { Outcome } from "./outcome.ts";
import { writeError } from "./terminal-text.ts";

export interface RunReportOptions {
  /** Default: the process's. */
  stderr?: { write(text: string): unknown };
  /** Whether the mode itself shows the session's `error` events on stderr; they are not told a second time then. */
  showsErrors?: boolean;
}

/** How it ended with the prompts of a command line. */
export interface RunEnd {
  /** The last answer; undefined when it failed or was aborted. */
  answer: string | undefined;
  /** 1 when there is no answer, and when the session could not be stored. */
  exitCode: 0 | 1;
}

/** The end of all modes that run the prompts of a command line: what went wrong is a line on stderr, once. */
export class RunReport {
  readonly #session: AgentSession;
  readonly #stderr: { write(text: string): unknown };
  readonly #told = new Set<string>();

  /** To be made before the session starts. */
  constructor(session: AgentSession, { stderr = process.stderr, showsErrors = false }: RunReportOptions = {}) {
    this.#session = session;
    this.#stderr = stderr;
    if (showsErrors) session.subscribe((event) => void (event.type === "error" && this.#told.add(event.error)));
  }

  /** Lets go of the session, which tries a last time to store what is not stored. */
  async end({ text, error }: Outcome): Promise<RunEnd> {
    await endInTime(this.#session.dispose());
    const { unsavedReason } = this.#session.history;
    for (const problem of [unsavedReason, error]) {
      if (problem !== undefined && !this.#told.has(problem)) writeError(problem, this.#stderr);
    }
    const isAnswered = error === undefined;
    return { answer: isAnswered ? text : undefined, exitCode: isAnswered && unsavedReason === undefined ? 0 : 1 };
  }
}
