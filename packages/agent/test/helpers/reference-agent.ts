import type { InterruptMode, QueueMode } from "../../src/index.ts";

/**
 * How a planned call behaves: `parallel` and `sequential` tools stop when aborted, a `stubborn` one is parallel and does not; `unknown`
 * has no tool, `invalid` has wrong arguments.
 */
export type CallKind = "parallel" | "sequential" | "stubborn" | "unknown" | "invalid";

export interface PlannedCall {
  id: string;
  kind: CallKind;
}

interface ReferenceCall extends PlannedCall {
  isRunning: boolean;
  outcome: string | undefined;
}

interface Batch {
  calls: ReferenceCall[];
  runsInOrder: boolean;
  isInterruptible: boolean;
  isAborted: boolean;
}

/** What an agent waits for: a prompt, the model's answer, its tools, or the decision about a retry. */
export type Phase = "idle" | "asking" | "working" | "deciding";

/** What an agent should do, without promises or events: a transcript of labels, two queues, and what it waits for. */
export class ReferenceAgent {
  phase: Phase = "idle";
  readonly transcript: string[] = [];
  steering: string[] = [];
  followUps: string[] = [];
  steeringMode: QueueMode = "one-at-a-time";
  followUpMode: QueueMode = "one-at-a-time";
  interruptMode: InterruptMode = "wait";
  #batch: Batch = { calls: [], runsInOrder: false, isInterruptible: false, isAborted: false };

  /** The calls whose tools are at work, in the order of the calls. */
  get running(): string[] {
    return this.#batch.calls.flatMap(({ id, isRunning }) => (isRunning ? [id] : []));
  }

  prompt(text: string): void {
    this.transcript.push(...this.steering.splice(0), text);
    this.phase = "asking";
  }

  /** Whether there is something to continue. */
  continue(): boolean {
    const last = this.transcript.at(-1);
    if (last === undefined) return false;
    if (isAnswer(last)) {
      const queued = this.#takeSteering();
      if (queued.length === 0) queued.push(...this.#takeFollowUps());
      if (queued.length === 0) return false;
      this.transcript.push(...queued);
    }
    this.phase = "asking";
    return true;
  }

  answer(calls: readonly PlannedCall[], fails: boolean): void {
    const stopReason = fails ? "error" : calls.length > 0 ? "toolUse" : "stop";
    this.transcript.push(answerLabel(stopReason, calls));
    if (fails) this.phase = "deciding";
    else if (calls.length === 0) this.#endTurn(false);
    else this.#startBatch(calls);
  }

  decide(again: boolean): void {
    this.phase = again ? "asking" : "idle";
  }

  release(id: string, outcome: string): void {
    for (const call of this.#batch.calls) {
      if (call.id === id) Object.assign(call, { isRunning: false, outcome });
    }
    this.#advance();
  }

  abort(): void {
    if (this.phase === "asking" || this.phase === "deciding") this.transcript.push(answerLabel("aborted", []));
    if (this.phase !== "working") {
      this.phase = "idle";
      return;
    }
    this.#batch.isAborted = true;
    for (const call of this.#batch.calls) {
      if (call.isRunning && call.kind !== "stubborn") Object.assign(call, { isRunning: false, outcome: "stopped" });
    }
    this.#advance();
  }

  #startBatch(calls: readonly PlannedCall[]): void {
    const isInterruptible = this.interruptMode === "immediate";
    this.#batch = {
      calls: calls.map((call) => ({ ...call, isRunning: false, outcome: undefined })),
      runsInOrder: isInterruptible || calls.some(({ kind }) => kind === "sequential"),
      isInterruptible,
      isAborted: false,
    };
    this.phase = "working";
    this.#advance();
  }

  #advance(): void {
    const { calls, runsInOrder, isInterruptible, isAborted } = this.#batch;
    for (const call of calls) {
      if (call.outcome === undefined && !call.isRunning) {
        if (call.kind === "unknown" || call.kind === "invalid") call.outcome = call.kind;
        else if (isInterruptible && this.steering.length > 0) call.outcome = "skipped";
        else if (isAborted) call.outcome = "not started";
        else call.isRunning = true;
      }
      if (runsInOrder && call.isRunning) return;
    }
    if (this.running.length > 0) return;
    for (const { id, outcome } of calls) this.transcript.push(resultLabel(id, outcome ?? ""));
    if (isAborted) {
      this.transcript.push(answerLabel("aborted", []));
      this.phase = "idle";
    } else this.#endTurn(true);
  }

  #endTurn(hasResults: boolean): void {
    const steering = this.#takeSteering();
    const incoming = hasResults || steering.length > 0 ? steering : this.#takeFollowUps();
    this.transcript.push(...incoming);
    this.phase = hasResults || incoming.length > 0 ? "asking" : "idle";
  }

  #takeSteering(): string[] {
    return this.steering.splice(0, this.steeringMode === "all" ? this.steering.length : 1);
  }

  #takeFollowUps(): string[] {
    return this.followUps.splice(0, this.followUpMode === "all" ? this.followUps.length : 1);
  }
}

export function answerLabel(stopReason: string, calls: readonly { id: string }[]): string {
  return ["answer", stopReason, ...calls.map(({ id }) => id)].join(" ");
}

export function resultLabel(id: string, outcome: string): string {
  return `result ${id}: ${outcome}`;
}

function isAnswer(label: string): boolean {
  return label.startsWith("answer ");
}
