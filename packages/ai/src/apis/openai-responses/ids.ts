import { shortHash } from "../../short-hash.ts";

/** The API's maximum length of the id of an item or a call, in characters. */
const maxIdLength = 64;

/** The wire has two ids for a call: the call id, which the result refers to, and the id of its item. A `ToolCall.id` holds both. */
export function joinCallIds(callId: string, itemId: string | undefined): string {
  return itemId ? `${callId}|${itemId}` : callId;
}

/** Splits the id of a `ToolCall` of this api into its two ids. */
export function splitCallIds(id: string): { callId: string; itemId?: string } {
  const separator = id.lastIndexOf("|");
  return separator < 0 ? { callId: id } : { callId: id.slice(0, separator), itemId: id.slice(separator + 1) };
}

/** Whether the API accepts this id for an item of the kind with this prefix, such as `fc_`. */
export function isItemId(id: string | undefined, prefix: string): id is string {
  return id?.startsWith(prefix) === true && isSafeId(id);
}

/** Returns `id` if the API accepts it, otherwise a valid id from it. Different ids stay different. */
export function toSafeId(id: string): string {
  if (isSafeId(id)) return id;
  const hash = shortHash(id);
  const start = id.replace(/[^A-Za-z0-9_-]/g, "_").slice(0, maxIdLength - hash.length - 1);
  return `${start}_${hash}`;
}

function isSafeId(id: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(id) && id.length <= maxIdLength && !id.endsWith("_");
}
