import { isAiError } from "@pikit/ai";
import { noModelMessage } from "../../models/no-model.ts";
import { errorCodes, RpcError } from "./json-rpc.ts";

/** Converts an error of a session to an error response. */
export function toRpcError(error: unknown): RpcError {
  const message = error instanceof Error ? error.message : String(error);
  const code = (error as { code?: unknown } | null)?.code;
  if (code === "no_model") return new RpcError(errorCodes.authRequired, noModelMessage());
  if (code === "no_credentials") return new RpcError(errorCodes.authRequired, message);
  if (code === "not_found") return new RpcError(errorCodes.notFound, message);
  const isOfClient = isAiError(error) || code === "invalid_input" || code === "invalid_arguments" || code === "invalid_session_id";
  return new RpcError(isOfClient ? errorCodes.invalidParams : errorCodes.internal, message);
}
