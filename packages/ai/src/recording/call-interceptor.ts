import type { ApiAdapter, ApiRequest } from "../api-adapter.ts";
import { loadApi } from "../api-registry.ts";
import type { MessageAssembler } from "../assembler.ts";
import type { Model } from "../types.ts";

/** Handles a model call in place of the adapter of the model's api, and may call that adapter. */
export interface CallInterceptor {
  call(request: ApiRequest, assembler: MessageAssembler, adapter: ApiAdapter): Promise<void>;
  /** The file of the recording; undefined for an interceptor that plays a recording and sends no request. */
  recordsTo?: string;
}

/** A symbol, so that `{...model}` copies it and JSON does not contain it. */
const interceptorKey = Symbol.for("pikit.callInterceptor");

interface InterceptedModel extends Model {
  [interceptorKey]?: CallInterceptor;
}

/** Copies the model; calls of the copy go through the interceptor. */
export function intercept<T extends Model>(model: T, interceptor: CallInterceptor): T {
  return { ...model, [interceptorKey]: interceptor };
}

/** The interceptor of a model, if it has one. */
export function interceptorOf(model: InterceptedModel): CallInterceptor | undefined {
  return model[interceptorKey];
}

/** Whether the model plays a recording. It then needs no key. */
export function isReplayed(model: Model): boolean {
  const interceptor = interceptorOf(model);
  return interceptor !== undefined && interceptor.recordsTo === undefined;
}

/**
 * Loads the adapter of a model's api, wrapped in the model's interceptor if it has one.
 *
 * @throws {AiError} `unsupported` when no such api is registered.
 */
export async function loadAdapter(model: InterceptedModel): Promise<ApiAdapter> {
  const adapter = await loadApi(model.api);
  const interceptor = interceptorOf(model);
  return interceptor ? (request, assembler) => interceptor.call(request, assembler, adapter) : adapter;
}
