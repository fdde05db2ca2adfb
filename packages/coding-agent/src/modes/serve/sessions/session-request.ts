import type { TSchema } from "@sinclair/typebox";
import { readFields } from "../../../protocol/validate.ts";
import { HttpError } from "../http/http-error.ts";
import { type KeptOptions, KeptOptionsSchema, type SessionRequest, SessionRequestSchema } from "../http/route-schemas.ts";

/** A request for a session, with its options apart from what holds only once. */
export interface ReadSessionRequest {
  session: NonNullable<SessionRequest["session"]>;
  cwd: string | undefined;
  takeOverLock: boolean;
  name: string | undefined;
  options: KeptOptions;
  /** The names of all fields except `session` and `cwd`. */
  optionNames: string[];
}

/**
 * Reads the body of a request for a session.
 *
 * @throws {HttpError} `bad_request`; the message names the unknown or invalid field.
 */
export async function readSessionRequest(body: Record<string, unknown>): Promise<ReadSessionRequest> {
  refuseUnknown(body, SessionRequestSchema, "");
  let fields: SessionRequest;
  try {
    fields = (await readFields(SessionRequestSchema, body)) as SessionRequest;
  } catch (error) {
    throw new HttpError("bad_request", `${(error as Error).message}.`);
  }
  const { session = "new", cwd, takeOverLock = false, name } = fields;
  const names = Object.keys(fields).filter((each) => each !== "session" && each !== "cwd");
  const options = Object.fromEntries(Object.entries(fields).filter(([each]) => Object.hasOwn(KeptOptionsSchema.properties, each)));
  return { session, cwd, takeOverLock, name, options, optionNames: names };
}

/** A misspelt option would have no effect, and `readOnli` must not begin a session that writes. */
function refuseUnknown(value: Record<string, unknown>, schema: TSchema, path: string): void {
  const properties = schema.properties as Record<string, TSchema>;
  for (const [name, field] of Object.entries(value)) {
    const known = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (!known) {
      const expected = Object.keys(properties).join(", ");
      throw new HttpError("bad_request", `Unknown field "${path}${name.slice(0, 80)}": expected ${expected}.`);
    }
    if (known.properties && isObject(field)) refuseUnknown(field, known, `${path}${name}.`);
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
