import type { ApiAdapter, ApiRequest } from "../api-adapter.ts";
import { loadApi } from "../api-registry.ts";
import type { MessageAssembler } from "../assembler.ts";
import type { Model } from "../types.ts";

/** Stands between a model call and the adapter of the model's api. */
export interface CallInterceptor {
  call(request: ApiRequest, assembler: MessageAssembler, adapter: ApiAdapter): Promise<void>;
  /** The file that it records in; absent when it plays a recording, and no provider is asked. */
  recordsTo?: string;
}

/** A symbol, so that it survives `{...model}` and is in no JSON. */
const interceptorKey = Symbol.for("pikit.callInterceptor");

interface InterceptedModel extends Model {
  [interceptorKey]?: CallInterceptor;
}

/** A copy of the model whose calls go through the interceptor. */
export function intercept<T extends Model>(model: T, interceptor: CallInterceptor): T {
  return { ...model, [interceptorKey]: interceptor };
}

/** What the calls of the model go through, if anything. */
export function interceptorOf(model: InterceptedModel): CallInterceptor | undefined {
  return model[interceptorKey];
}

/** Whether the model plays a recording: it needs no key then, whatever its provider needs. */
export function isReplayed(model: Model): boolean {
  const interceptor = interceptorOf(model);
  return interceptor !== undefined && interceptor.recordsTo === undefined;
}

/**
 * What serves the calls of a model: the adapter of its api, behind the model's interceptor if it has one.
 *
 * @throws {AiError} `unsupported` when no such api is registered.
 */
export async function loadAdapter(model: InterceptedModel): Promise<ApiAdapter> {
  const adapter = await loadApi(model.api);
  const interceptor = interceptorOf(model);
  return interceptor ? (request, assembler) => interceptor.call(request, assembler, adapter) : adapter;
}
