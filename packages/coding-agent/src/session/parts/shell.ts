import type { ProcessResult, ProcessRunner } from "../../exec/run-process.ts";
import type { HookSlot } from "../../extensions/hooks.ts";
import type { BashResult } from "../../protocol/data.ts";
import type { BashExecutionMessage } from "../../protocol/messages.ts";
import type { Transcript } from "./transcript.ts";

export interface ShellCommandOptions {
  /** Whether to hide the command and its output from the model. Default false. */
  excludeFromContext?: boolean | undefined;
  /** Called with the output as it arrives. */
  onOutput?: ((chunk: string) => void) | undefined;
  /** Stops this command only. */
  signal?: AbortSignal | undefined;
}

/** Shell commands of the user, beside the conversation. Several may run at once. */
export class SessionShell {
  readonly #run: ProcessRunner;
  readonly #transcript: Transcript;
  readonly #hooks: HookSlot;
  readonly #running = new Map<AbortController, Promise<BashResult>>();

  constructor(run: ProcessRunner, transcript: Transcript, hooks: HookSlot) {
    this.#run = run;
    this.#hooks = hooks;
    this.#transcript = transcript;
  }

  /**
   * Runs a command in the session's folder. The model gets the command and its output with its next request, unless they are excluded.
   * A failing command does not reject; after an `abort` the result is `cancelled`. Resolves when command and output are stored.
   *
   * @throws {SessionError} `invalid_input` when an extension that should handle the command has failed. Nothing has run then.
   */
  async run(command: string, { excludeFromContext = false, ...options }: ShellCommandOptions = {}): Promise<BashResult> {
    const { conversation } = this.#transcript;
    const result = await this.#execute(command, excludeFromContext, options);
    // Not stored after a change of conversation: the conversation of the command is closed.
    if (conversation === this.#transcript.conversation) {
      await this.#transcript.insert(toBashMessage(command, result, excludeFromContext));
    }
    return result;
  }

  /** Stops all commands. */
  abort(): void {
    for (const controller of this.#running.keys()) controller.abort();
  }

  /** Stops all commands and resolves when they have ended. */
  async stop(): Promise<void> {
    this.abort();
    await Promise.allSettled(this.#running.values());
  }

  async #execute(command: string, excludeFromContext: boolean, { onOutput, signal }: ShellCommandOptions): Promise<BashResult> {
    const controller = new AbortController();
    const signals = signal ? AbortSignal.any([signal, controller.signal]) : controller.signal;
    const { cwd } = this.#transcript.conversation.header;
    const work = async () => {
      const call = { command, excludeFromContext, cwd, signal: signals, onOutput };
      const elsewhere = await this.#hooks.current?.userBash?.(call);
      if (elsewhere) return elsewhere;
      return toBashResult(await this.#run({ command, cwd, signal: signals, ...(onOutput ? { onOutput } : {}) }));
    };
    const running = work();
    this.#running.set(controller, running);
    try {
      return await running;
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

/** The message that stores the command and its output. */
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
