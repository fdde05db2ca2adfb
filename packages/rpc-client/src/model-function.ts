import type { Signal } from "./abort-signal.ts";
import type { HostModelContext, HostModelEvent, HostModelOptions, HostModelResult, HostModelUsage } from "./protocol-types.ts";

/** One call of a model that runs in this program. */
export interface ModelCall {
  modelId: string;
  context: HostModelContext;
  options: HostModelOptions;
  /** Aborted when the agent no longer waits: the run was aborted, the answer was wrong, or the process is gone. */
  signal: Signal;
}

/** The values that a model function yields: steps of the answer, the usage so far, and at the end the result, unless the generator returns it. */
export type ModelOutput = HostModelEvent | { usage: HostModelUsage } | HostModelResult;

/**
 * Answers a call with a stream, or with a result that has the whole content. A thrown error is the failure of the call; its boolean fields
 * `retryable` and `overflow` tell the agent what to do.
 */
export type ModelFunction = (
  call: ModelCall,
) => AsyncIterable<ModelOutput> | HostModelResult | Promise<AsyncIterable<ModelOutput> | HostModelResult>;
