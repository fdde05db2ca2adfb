import type { ProcessResult, ProcessRunner } from "../../exec/run-process.ts";
import type { BashResult } from "../../protocol/data.ts";
import type { BashExecutionMessage } from "../../protocol/messages.ts";
import type { Transcript } from "./transcript.ts";

export interface ShellCommandOptions {
  /** Whether the model does not see the command and its output. Default false. */
  excludeFromContext?: boolean | undefined;
  /** Called with the output as it comes. */
  onOutput?: ((chunk: string) => void) | undefined;
  /** Stops this command alone. */
  signal?: AbortSignal | undefined;
}

/** Shell commands that the user runs beside the conversation. Several may run at once. */
export class SessionShell {
  readonly #run: ProcessRunner;
  readonly #transcript: Transcript;
  readonly #running = new Map<AbortController, Promise<ProcessResult>>();

  constructor(run: ProcessRunner, transcript: Transcript) {
    this.#run = run;
    this.#transcript = transcript;
  }

  /**
   * Runs a command to its end in the session's folder. The model reads the command and its output with its next request, unless they are
   * excluded. A failing command is a result; an `abort` ends it with `cancelled`.
   *
   * @returns When command and output are stored.
   */
  async run(command: string, { excludeFromContext = false, ...options }: ShellCommandOptions = {}): Promise<BashResult> {
    const { conversation } = this.#transcript;
    const result = await this.#execute(command, conversation.header.cwd, options);
    // The result of a command whose conversation was left is not stored: its conversation is closed.
    if (conversation === this.#transcript.conversation) {
      await this.#transcript.insert(toBashMessage(command, result, excludeFromContext));
    }
    return result;
  }

  /** Stops all of them. */
  abort(): void {
    for (const controller of this.#running.keys()) controller.abort();
  }

  /** Stops all of them and resolves when they have ended. */
  async stop(): Promise<void> {
    this.abort();
    await Promise.allSettled(this.#running.values());
  }

  async #execute(command: string, cwd: string, { onOutput, signal }: ShellCommandOptions): Promise<BashResult> {
    const controller = new AbortController();
    const signals = signal ? AbortSignal.any([signal, controller.signal]) : controller.signal;
    const work = this.#run({ command, cwd, signal: signals, ...(onOutput ? { onOutput } : {}) });
    this.#running.set(controller, work);
    try {
      return toBashResult(await work);
    } finally {
      this.#running.delete(controller);
    }
  }
}

function toBashResult(result: ProcessResult): BashResult {
  const { output, exitCode, outcome, truncated, totalLines, totalBytes, outputLines, outputBytes, fullOutputPath } = result;
  return {
    output,
    exitCode,
    cancelled: outcome === "aborted",
    truncated,
    ...(fullOutputPath === undefined ? {} : { fullOutputPath }),
    totalLines,
    totalBytes,
    outputLines,
    outputBytes,
  };
}

/** The command and its output as the conversation keeps them. */
function toBashMessage(command: string, result: BashResult, excludeFromContext: boolean): BashExecutionMessage {
  const { output, exitCode, cancelled, truncated, fullOutputPath } = result;
  return {
    role: "bashExecution",
    command,
    output,
    exitCode,
    cancelled,
    truncated,
    fullOutputPath: fullOutputPath ?? null,
    ...(excludeFromContext ? { excludeFromContext } : {}),
    timestamp: Date.now(),
  };
}
