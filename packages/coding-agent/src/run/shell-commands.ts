import type { ProcessResult, ProcessRunner } from "../exec/run-process.ts";
import type { BashResult } from "../protocol/data.ts";
import type { BashExecutionMessage } from "../protocol/messages.ts";

export interface ShellCommandOptions {
  cwd: string;
  /** Gets the output as it comes. */
  onOutput?: ((chunk: string) => void) | undefined;
  /** Stops this command alone. */
  signal?: AbortSignal | undefined;
}

/** Shell commands that the user runs beside the conversation. Several may run at once. */
export class ShellCommands {
  readonly #run: ProcessRunner;
  readonly #running = new Map<AbortController, Promise<ProcessResult>>();

  constructor(run: ProcessRunner) {
    this.#run = run;
  }

  /** Runs a command to its end. A failing command is a result; an `abort` ends it with `cancelled`. */
  async run(command: string, { cwd, onOutput, signal }: ShellCommandOptions): Promise<BashResult> {
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

  /** Stops all of them. */
  abort(): void {
    for (const controller of this.#running.keys()) controller.abort();
  }

  /** Stops all of them and resolves when they have ended. */
  async stop(): Promise<void> {
    this.abort();
    await Promise.allSettled(this.#running.values());
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
export function toBashMessage(command: string, result: BashResult, excludeFromContext: boolean): BashExecutionMessage {
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
