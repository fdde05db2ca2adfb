import type { MessageAssembler } from "./assembler.ts";
import type { Context, Model, StreamOptions } from "./types.ts";

/** One model call, as an adapter receives it. */
export interface ApiRequest {
  model: Model;
  context: Context;
  /** With `apiKey` filled in from the environment where the caller gave none. */
  options: StreamOptions;
}

/**
 * Speaks one wire protocol: sends the request and reports the answer to the assembler, ending it with `done`. Failures are thrown;
 * `stream` turns them into the answer's error. An abort ends the answer by itself, the adapter only has to let go of its connection.
 */
export type ApiAdapter = (request: ApiRequest, assembler: MessageAssembler) => Promise<void>;

/** Loads an adapter; called when the first model of its api is used, and again only if it failed. */
export type ApiLoader = () => Promise<ApiAdapter>;
