import type { ProcessResult, ProcessRunner } from "../exec/run-process.ts";
import type { BashResult } from "../protocol/data.ts";
import type { BashExecutionMessage } from "../protocol/messages.ts";

export interface ShellCommandOptions {
  cwd: string;
  /** Gets the output as it comes. */
  onOutput?: ((chunk: string) => void) | undefined;
}

/** Shell commands that the user runs beside the conversation. Several may run at once. */
export class ShellCommands {
  readonly #run: ProcessRunner;
  readonly #running = new Set<AbortController>();

  constructor(run: ProcessRunner) {
    this.#run = run;
  }

  /** Runs a command to its end. A failing command is a result; an `abort` ends it with `cancelled`. */
  async run(command: string, { cwd, onOutput }: ShellCommandOptions): Promise<BashResult> {
    const controller = new AbortController();
    this.#running.add(controller);
    try {
      return toBashResult(await this.#run({ command, cwd, signal: controller.signal, ...(onOutput ? { onOutput } : {}) }));
    } finally {
      this.#running.delete(controller);
    }
  }

  /** Stops all of them. */
  abort(): void {
    for (const controller of this.#running) controller.abort();
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
