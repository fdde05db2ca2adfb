import type { MessageAssembler } from "./assembler.ts";
import type { Context, Model, StreamOptions } from "./types.ts";

/** One model call, as an adapter receives it. */
export interface ApiRequest {
  model: Model;
  context: Context;
  /** The caller's options; `apiKey` comes from the environment if the caller gave none. */
  options: StreamOptions;
}

/**
 * Speaks one wire protocol: sends the request, reports the answer to the assembler and ends it with `done`. An adapter throws failures;
 * `stream` turns them into the answer's error. `stream` also ends an aborted answer: the adapter only has to close its connection.
 */
export type ApiAdapter = (request: ApiRequest, assembler: MessageAssembler) => Promise<void>;

/** Loads an adapter. Called on the first use of the api, and again only if it failed. */
export type ApiLoader = () => Promise<ApiAdapter>;
