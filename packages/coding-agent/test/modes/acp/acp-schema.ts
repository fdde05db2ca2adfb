import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

/** A message of JSON-RPC, of either side. */
export interface Message {
  id?: string | number | null;
  method?: string;
  params?: unknown;
  result?: unknown;
  error?: { code: number; message: string };
}

interface Definition {
  "x-method"?: string;
}

const path = createRequire(import.meta.url).resolve("@agentclientprotocol/sdk/schema/v1/schema.unstable.json");
const schema = JSON.parse(readFileSync(path, "utf8")) as { $defs: Record<string, Definition> };
const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
ajv.addSchema(schema, "acp");

const checks = new Map<string, ValidateFunction>();

/** The check of what a method carries: `Request` and `Notification` are its parameters, `Response` its result. */
function checkOf(method: string, ends: readonly string[]): ValidateFunction | undefined {
  const key = `${method} ${ends.join()}`;
  const known = checks.get(key);
  if (known) return known;
  const names = Object.keys(schema.$defs).filter((name) => schema.$defs[name]?.["x-method"] === method);
  const name = names.find((each) => ends.some((end) => each.endsWith(end)));
  if (name === undefined) return undefined;
  const check = ajv.compile({ $ref: `acp#/$defs/${name}` });
  checks.set(key, check);
  return check;
}

/** Checks a conversation, both directions, against the schema of the SDK. Returns what is wrong; empty when nothing. */
export function findViolations(sent: readonly Message[], received: readonly Message[]): string[] {
  return [...check(sent, received), ...check(received, sent)];
}

/** Checks the requests and notifications of one side, and the other side's responses to them. */
function check(one: readonly Message[], other: readonly Message[]): string[] {
  const methods = new Map(
    one.flatMap(({ id, method }) => (method !== undefined && id !== undefined ? [[id, method] as const] : [])),
  );
  const calls = one.flatMap((message) =>
    message.method === undefined ? [] : describe(message.method, ["Request", "Notification"], message.params),
  );
  const answers = other.flatMap(({ id, method, result }) => {
    const asked = id === undefined || method !== undefined ? undefined : methods.get(id);
    return asked === undefined || result === undefined ? [] : describe(asked, ["Response"], result);
  });
  return [...calls, ...answers];
}

function describe(method: string, ends: readonly string[], value: unknown): string[] {
  const validate = checkOf(method, ends);
  if (!validate) return [`the schema has no ${method}`];
  return validate(value) ? [] : [`${method}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(value).slice(0, 300)}`];
}
