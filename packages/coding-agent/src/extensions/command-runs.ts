import type { AgentEvent } from "@pikit/agent";
import { SessionError } from "../errors.ts";
import type { SessionEvent } from "../protocol/events.ts";
import type { SlashCall } from "./slash-commands.ts";

export interface CommandRunParts {
  /** Whether a run is active. */
  isRunning(): boolean;
  /** The number of runs that have started. */
  startedRuns(): number;
  emit(event: AgentEvent | SessionEvent): void | Promise<void>;
}

/** The events that only tell clients that a command has ended. */
const eventsOfCommands = new WeakSet<object>();

/** Whether an event belongs to a command, not to a run. Extensions do not get such events: no agent has worked. */
export function isOfCommand(event: object): boolean {
  return eventsOfCommands.has(event);
}

/** The running commands. */
export class CommandRuns {
  readonly #parts: CommandRunParts;
  readonly #working = new Set<Promise<void>>();
  #isClosed = false;

  constructor(parts: CommandRunParts) {
    this.#parts = parts;
  }

  /**
   * Starts a command one turn of the event loop later, so that its sender can get the response first.
   *
   * @returns `settled` resolves when the command has finished. It never rejects: a failure is an event.
   * @throws {SessionError} `disposed` after `close`.
   */
  start(call: SlashCall): { settled: Promise<void> } {
    if (this.#isClosed) throw new SessionError("disposed", "The session was disposed of. Create another one.");
    const settled = this.#run(call);
    this.#working.add(settled);
    return { settled: settled.finally(() => this.#working.delete(settled)) };
  }

  /** Refuses all later commands. */
  close(): void {
    this.#isClosed = true;
  }

  /** Resolves when no command is running. */
  async waitForIdle(): Promise<void> {
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  async #run({ command, args }: SlashCall): Promise<void> {
    const { isRunning, startedRuns, emit } = this.#parts;
    await new Promise((resolve) => setImmediate(resolve));
    const hasRunBeside = isRunning();
    const startedBefore = startedRuns();
    try {
      await command.run(args);
    } catch (error) {
      await emit({ type: "error", error: `/${command.name} failed: ${error instanceof Error ? error.message : String(error)}` });
    }
    if (hasRunBeside || isRunning() || startedRuns() !== startedBefore) return;
    // Every prompt ends with the same events. If the command joined or started a run, that run emits them.
    const ends: readonly (AgentEvent | SessionEvent)[] = [
      { type: "agent_start" },
      { type: "agent_end", messages: [], willRetry: false },
      { type: "agent_settled" },
    ];
    for (const event of ends) {
      eventsOfCommands.add(event);
      await emit(event);
    }
  }
}
