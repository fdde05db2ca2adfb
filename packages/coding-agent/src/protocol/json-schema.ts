import type { TObject, TSchema } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import { commands } from "./commands.ts";
import * as data from "./data.ts";
import { DeltaUpdateSchema } from "./delta-schema.ts";
import { commandDescriptions, eventDescriptions, frameDescriptions } from "./descriptions.ts";
import { type CommandName, commandAliases } from "./dispatch.ts";
import * as entries from "./entries.ts";
import { type EventName, events } from "./events.ts";
import * as frames from "./frames.ts";
import * as hostModels from "./host-models.ts";
import * as messages from "./messages.ts";
import { protocolVersion } from "./version.ts";

/** A JSON Schema or a part of one. */
export type JsonSchema = { [keyword: string]: unknown };

const anyId = { description: "Any JSON value; the response repeats it." };

/** All names of a command: its name, then its aliases. */
export function namesOf(command: CommandName): string[] {
  return [command, ...Object.entries(commandAliases).flatMap(([alias, name]) => (name === command ? [alias] : []))];
}

const records: ReadonlySet<unknown> = new Set([
  frames.ResponseSchema,
  ...Object.values(frames.incomingFrames),
  ...Object.values(frames.outgoingFrames),
]);

/** The schemas of the shared types by name, sorted by name. Other schemas use them by `$ref`. */
export const sharedTypes: ReadonlyMap<string, TSchema> = new Map(
  [messages, data, entries, frames, hostModels]
    .flatMap((module) => Object.entries(module) as [string, TSchema][])
    .filter(([name, schema]) => name.endsWith("Schema") && !records.has(schema))
    .map(([name, schema]): [string, TSchema] => [name.slice(0, -"Schema".length), schema])
    .sort(([a], [b]) => (a < b ? -1 : 1)),
);

/** Finds a shared type by its JSON text, because TypeBox copies schemas. */
const namesByText = new Map([...sharedTypes].map(([name, schema]) => [JSON.stringify(schema), name]));

/** The name of a shared type; undefined for other schemas. */
export function nameOf(schema: TSchema): string | undefined {
  return typeof schema.$ref === "string" ? schema.$ref : namesByText.get(JSON.stringify(schema));
}

/**
 * The whole RPC protocol as one JSON Schema (draft 2020-12): `$defs/Incoming` is an input line, `$defs/Outgoing` an output line. `$defs` also
 * has every command, response, event, frame and shared type by name.
 */
export function rpcSchema(): JsonSchema {
  const incoming = new Map<string, JsonSchema>();
  const outgoing = new Map<string, JsonSchema>();
  for (const command of Object.keys(commands) as CommandName[]) {
    incoming.set(`command.${command}`, commandSchema(command));
    outgoing.set(`response.${command}`, responseSchema(command));
  }
  outgoing.set("response.failed", failedResponse);
  for (const [name, schema] of Object.entries(frames.incomingFrames)) incoming.set(`frame.${name}`, receivedFrame(name, schema));
  for (const [name, schema] of Object.entries(frames.outgoingFrames)) outgoing.set(`frame.${name}`, describedFrame(name, schema));
  outgoing.set("frame.session", { description: "In JSON mode: the first line.", $ref: ref("SessionHeader") });
  for (const [name, schema] of Object.entries(events)) {
    outgoing.set(`event.${name}`, { description: eventDescriptions[name as EventName], ...expand(schema) });
  }
  outgoing.set("event.message_update.deltas", { description: "A step of an answer in deltas mode.", ...expand(DeltaUpdateSchema) });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: "https://unpkg.com/@pikit/coding-agent/dist/protocol.schema.json",
    title: `pi RPC protocol, version ${protocolVersion}`,
    description: "JSON Lines of pi --mode rpc: Incoming on stdin, Outgoing on stdout. pi --mode json writes the same events.",
    anyOf: [{ $ref: ref("Incoming") }, { $ref: ref("Outgoing") }],
    $defs: {
      Incoming: { anyOf: [...incoming.keys()].map((name) => ({ $ref: ref(name) })) },
      Outgoing: { anyOf: [...outgoing.keys()].map((name) => ({ $ref: ref(name) })) },
      ...Object.fromEntries(incoming),
      ...Object.fromEntries(outgoing),
      ...Object.fromEntries([...sharedTypes].map(([name, schema]) => [name, expand(schema)])),
    },
  };
}

const ref = (name: string): string => `#/$defs/${name}`;
const oneOf = (names: readonly string[]): JsonSchema => (names.length === 1 ? { const: names[0] } : { enum: names });

function commandSchema(command: CommandName): JsonSchema {
  const { params } = commands[command];
  return {
    description: commandDescriptions[command],
    type: "object",
    properties: { id: anyId, type: oneOf(namesOf(command)), ...receivedFields(params) },
    required: ["type", ...(params.required ?? [])],
  };
}

function responseSchema(command: CommandName): JsonSchema {
  const schema: TSchema = commands[command].data;
  const isEmpty = schema.type === Type.Undefined().type;
  return {
    type: "object",
    properties: {
      id: anyId,
      type: { const: "response" },
      command: oneOf(namesOf(command)),
      success: { const: true },
      ...(isEmpty ? {} : { data: convert(schema) }),
    },
    required: ["type", "command", "success", ...(isEmpty ? [] : ["data"])],
  };
}

const failedResponse: JsonSchema = {
  description:
    "The response to a refused or failed command. `parse`: the line is not a JSON object; `unknown`: it names no command.",
  type: "object",
  properties: {
    id: anyId,
    type: { const: "response" },
    command: { type: "string" },
    success: { const: false },
    error: { type: "string", description: "The reason, and what to do." },
  },
  required: ["type", "command", "success", "error"],
};

function describedFrame(name: string, schema: TSchema): JsonSchema {
  return { description: frameDescriptions[name as keyof typeof frameDescriptions], ...expand(schema) };
}

function receivedFrame(name: string, schema: TObject): JsonSchema {
  return { ...describedFrame(name, schema), properties: receivedFields(schema) };
}

/** The fields of an incoming record: an optional field may be null. */
function receivedFields(schema: TObject): JsonSchema {
  const required = new Set(schema.required ?? []);
  return mapValues(schema.properties, (field, name) =>
    required.has(name) ? convert(field) : { anyOf: [convert(field), { type: "null" }] },
  );
}

/** Converts a schema to JSON Schema, with references to shared types. */
function convert(schema: TSchema): JsonSchema {
  const name = nameOf(schema);
  return name === undefined ? expand(schema) : { $ref: ref(name) };
}

function expand(schema: TSchema): JsonSchema {
  // TypeBox stores its own data under symbols, which JSON leaves out.
  const { $id, anyOf, allOf, items, properties, patternProperties, ...plain } = JSON.parse(JSON.stringify(schema)) as JsonSchema;
  const parts = schema as { anyOf?: TSchema[]; allOf?: TSchema[]; items?: TSchema; properties?: Record<string, TSchema> };
  if (parts.anyOf?.every((option) => typeof option.const === "string")) {
    return { ...plain, type: "string", enum: parts.anyOf.map((option) => option.const) };
  }
  return {
    ...plain,
    ...(parts.anyOf ? { anyOf: parts.anyOf.map(convert) } : {}),
    ...(parts.allOf ? { allOf: parts.allOf.map(convert) } : {}),
    ...(parts.items ? { items: convert(parts.items) } : {}),
    ...(parts.properties ? { properties: mapValues(parts.properties, convert) } : {}),
  };
}

function mapValues(record: Record<string, TSchema>, map: (schema: TSchema, name: string) => JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(record).map(([name, schema]) => [name, map(schema, name)]));
}
