import { shortHash } from "../../short-hash.ts";

/** The longest id of an item or a call that the API takes, in characters. */
const maxIdLength = 64;

/** The wire has two ids for a call: one for its result to refer to, and one of the item that held it. A `ToolCall.id` is both. */
export function joinCallIds(callId: string, itemId: string | undefined): string {
  return itemId ? `${callId}|${itemId}` : callId;
}

/** The two ids of a `ToolCall` that came over this wire. */
export function splitCallIds(id: string): { callId: string; itemId?: string } {
  const separator = id.lastIndexOf("|");
  return separator < 0 ? { callId: id } : { callId: id.slice(0, separator), itemId: id.slice(separator + 1) };
}

/** Whether the server can have given this id to an item of the kind that `prefix` names, such as `fc_`. */
export function isItemId(id: string | undefined, prefix: string): id is string {
  return id?.startsWith(prefix) === true && isSafeId(id);
}

/** `id` if the API takes it, else one that it takes; different ids stay different. */
export function toSafeId(id: string): string {
  if (isSafeId(id)) return id;
  const hash = shortHash(id);
  const start = id.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, maxIdLength - hash.length - 1);
  return `${start}_${hash}`;
}

function isSafeId(id: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(id) && id.length <= maxIdLength && !id.endsWith("_");
}
