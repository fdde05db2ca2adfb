import type { TObject } from "@sinclair/typebox";
import { readFields } from "../../protocol/validate.ts";
import { leaveOutNulls } from "../rpc-session/absent-fields.ts";
import { errorCodes, RpcError } from "./json-rpc.ts";
import { type MethodName, type MethodParams, methods } from "./protocol.ts";

/**
 * Checks the parameters of a request. Unknown fields are ignored, and null in an optional field counts as absent.
 *
 * @throws {RpcError} `invalidParams`; the message names the field, the expected and the received value.
 */
export async function readParams<N extends MethodName>(name: N, params: unknown): Promise<MethodParams<N>> {
  const schema: TObject = methods[name];
  const record = params ?? {};
  if (typeof record !== "object" || Array.isArray(record)) {
    throw new RpcError(errorCodes.invalidParams, 'Field "params" must be an object.');
  }
  try {
    return (await readFields(schema, leaveOutNulls(schema, record) as Record<string, unknown>)) as MethodParams<N>;
  } catch (error) {
    throw new RpcError(errorCodes.invalidParams, `${(error as Error).message}.`);
  }
}
