import type { Model } from "../../types.ts";
import type { StartHostCall } from "./frames.ts";
import type { HostModelFunction } from "./run.ts";

/** A model that a program holds: this process, or the one at the other end of a connection. */
export interface HostModel extends Model {
  api: "host";
  start: StartHostCall;
}

/** The description of a host model. Only the id is required. */
export interface HostModelDescription {
  /** Without white space. */
  id: string;
  /** Default: the id. */
  name?: string | undefined;
  /** Default: `host`. */
  provider?: string | undefined;
  /** Default: false. */
  reasoning?: boolean | undefined;
  /** Default: `["text"]`. */
  input?: Model["input"] | undefined;
  /** Default: 0, unknown. */
  contextWindow?: number | undefined;
  /** Default: 0, unknown. */
  maxTokens?: number | undefined;
  /** Default: 0. */
  cost?: Partial<Model["cost"]> | undefined;
}

/** Creates the model of a description. */
export function toHostModel(description: HostModelDescription, start: StartHostCall): HostModel {
  const {
    id,
    name = id,
    provider = "host",
    reasoning = false,
    input = ["text"],
    contextWindow = 0,
    maxTokens = 0,
    cost,
  } = description;
  return {
    ...{ id, name, api: "host", provider, baseUrl: "", reasoning, input: [...input], contextWindow, maxTokens },
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, ...cost },
    start,
  };
}

/**
 * Creates a model whose answers come from a function of this program, for example one that asks a gateway with credentials that the agent must
 * not see.
 */
export function createHostModel({ run, ...description }: HostModelDescription & { run: HostModelFunction }): HostModel {
  return toHostModel(description, (call, receive) => {
    // Loaded here, because a start that calls no such model does not need it.
    import("./run.ts")
      .then(({ runHostModel }) => runHostModel(run, call, receive))
      .catch((error: Error) => receive({ type: "host_model_error", message: error.message, retryable: false }));
  });
}

/** Whether a model is held by a host. */
export function isHostModel(model: Model): model is HostModel {
  return model.api === "host" && "start" in model && typeof model.start === "function";
}
