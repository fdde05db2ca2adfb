import { errorCodes, RpcError } from "./json-rpc.ts";
import type { ClientCapabilities } from "./protocol.ts";

/** The version of the Agent Client Protocol that this server speaks. https://agentclientprotocol.com */
export const protocolVersion = 1;

/**
 * Reads the parameters of `initialize`. By hand, because loading the modules that check schemas would be a tenth of the time until the answer.
 * A field of another type counts as absent.
 *
 * @throws {RpcError} `invalidParams`.
 */
export function readInitialize(params: unknown): ClientCapabilities {
  if (!isObject(params)) throw new RpcError(errorCodes.invalidParams, 'Field "params" must be an object.');
  if (!Number.isInteger(params.protocolVersion)) {
    throw new RpcError(errorCodes.invalidParams, 'Field "protocolVersion" must be an integer.');
  }
  const { fs, terminal, auth, session, elicitation } = toObject(params.clientCapabilities);
  const { readTextFile, writeTextFile } = toObject(fs);
  const { compaction, notices } = toObject(session);
  const { form } = toObject(elicitation);
  return {
    fs: { readTextFile: readTextFile === true, writeTextFile: writeTextFile === true },
    terminal: terminal === true,
    auth: { terminal: toObject(auth).terminal === true },
    session: { ...(isObject(compaction) && { compaction }), ...(isObject(notices) && { notices }) },
    elicitation: isObject(form) ? { form } : {},
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function toObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
