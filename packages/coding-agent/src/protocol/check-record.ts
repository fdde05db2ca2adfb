import type { TObject, TSchema } from "@sinclair/typebox";
import { Errors, type ValueError } from "@sinclair/typebox/errors";
import { commands } from "./commands.ts";
import { DeltaUpdateSchema } from "./delta-schema.ts";
import { findCommand } from "./dispatch.ts";
import { EntryTreeNodeSchema } from "./entries.ts";
import { type EventName, events } from "./events.ts";
import { incomingFrames, outgoingFrames, ResponseSchema, SessionHeaderSchema } from "./frames.ts";
import { describeMismatch, readFields } from "./validate.ts";

/** The direction of a record: `in` to pi, `out` from it. */
export type Direction = "in" | "out";

type ProtocolRecord = Record<string, unknown> & { type: string };

/**
 * The direction of a record type; undefined when the protocol has no such record.
 *
 * @internal Exported for its tests.
 */
export function directionOf(type: string): Direction | undefined {
  if (findCommand(type) !== undefined || Object.hasOwn(incomingFrames, type)) return "in";
  if (type === "response" || type === "session" || Object.hasOwn(events, type) || Object.hasOwn(outgoingFrames, type)) return "out";
  return undefined;
}

/**
 * Checks one record of the protocol.
 *
 * @param direction - The expected direction. Default: that of the record's type.
 * @returns The first problem, as one sentence; undefined when the record is valid.
 */
export async function checkRecord(record: unknown, direction?: Direction): Promise<string | undefined> {
  if (typeof record !== "object" || record === null || Array.isArray(record)) return "Expected a JSON object";
  const { type } = record as Record<string, unknown>;
  if (typeof type !== "string") return 'Field "type" must be a string that names a command, event or frame';
  const known = directionOf(type);
  if (known === undefined)
    return `Unknown ${direction === "in" ? "command" : direction === "out" ? "event" : "command or event"}: ${type}`;
  if (direction !== undefined && known !== direction) {
    return known === "in" ? `pi reads ${type} and never sends it` : `pi sends ${type} and never reads it`;
  }
  return known === "in" ? checkIncoming(record as ProtocolRecord) : checkOutgoing(record as ProtocolRecord);
}

async function checkIncoming(record: ProtocolRecord): Promise<string | undefined> {
  const command = findCommand(record.type);
  const schema: TObject =
    command === undefined ? incomingFrames[record.type as keyof typeof incomingFrames] : commands[command].params;
  try {
    await readFields(schema, record);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function checkOutgoing(record: ProtocolRecord): string | undefined {
  const { type } = record;
  if (type === "response") return findMismatch(ResponseSchema, record) ?? checkData(record);
  if (type === "session") return findMismatch(SessionHeaderSchema, record);
  if (Object.hasOwn(outgoingFrames, type)) return findMismatch(outgoingFrames[type as keyof typeof outgoingFrames], record);
  if ("id" in record) return "An event carries no id";
  if (type === "message_update" && record.message === undefined) return findMismatch(DeltaUpdateSchema, record);
  return findMismatch(events[type as EventName], record);
}

function checkData({ command, success, data }: ProtocolRecord): string | undefined {
  const name = findCommand(String(command));
  if (success !== true) return data === undefined ? undefined : "A failed response carries no data";
  if (name === undefined) return `Success of the unknown command ${command}`;
  // Node by node: a tree is as deep as its session is long, and the checker is recursive.
  if (name === "get_tree" && Array.isArray((data as { tree?: unknown } | undefined)?.tree)) {
    const { tree, ...rest } = data as { tree: unknown[] };
    return findMismatch(commands.get_tree.data, { ...rest, tree: [] }, "data") ?? checkTree(tree);
  }
  if (commands[name].data.type === "undefined")
    return data === undefined ? undefined : `The response to ${command} carries no data`;
  return findMismatch(commands[name].data, data, "data");
}

function checkTree(tree: readonly unknown[]): string | undefined {
  const open = [...tree];
  while (open.length > 0) {
    const node = open.pop() as { children?: unknown } | null;
    const children = Array.isArray(node?.children) ? node.children : undefined;
    const wrong = findMismatch(EntryTreeNodeSchema, children ? { ...node, children: [] } : node, "data.tree");
    if (wrong !== undefined) return wrong;
    open.push(...(children ?? []));
  }
  return undefined;
}

/** @param place - The place of the value in its record. */
function findMismatch(schema: TSchema, value: unknown, place = ""): string | undefined {
  const error = Errors(schema, value).First();
  return error === undefined ? undefined : describeMismatch(narrow(error, place === "" ? "" : `/${place}`));
}

/** For a union of objects, reports the problem of the intended member instead of the whole union. */
function narrow(error: ValueError, place: string): ValueError {
  const path = `${place}${error.path}`;
  const meant = ((error.schema.anyOf ?? []) as TSchema[]).filter((option) => isMeant(option, error.value));
  const inner = meant.length === 1 ? Errors(meant[0] as TSchema, error.value).First() : undefined;
  return inner ? narrow(inner, path) : { ...error, path };
}

/** Whether the value has all constants of an object's schema (`type`, `role`, `success`). */
function isMeant(schema: TSchema, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return false;
  const constants = Object.entries((schema.properties ?? {}) as Record<string, TSchema>).filter(([, field]) => "const" in field);
  return constants.length > 0 && constants.every(([name, field]) => (value as Record<string, unknown>)[name] === field.const);
}
