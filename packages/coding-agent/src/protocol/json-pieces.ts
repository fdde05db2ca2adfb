import { encodeJson } from "./jsonl.ts";

/** The length of a piece in characters, about. */
const pieceLength = 64 * 1024;
/** The number of values that are measured between two pauses. */
const portion = 10_000;

/** A value, and the text before it. */
interface Item {
  before: string;
  value: unknown;
}

/** An array or object that is being encoded item by item. A deep tree has many of them at once, so each is small. */
interface OpenContainer {
  container: object;
  /** The names of the fields of an object; undefined for an array. */
  keys: readonly string[] | undefined;
  /** The index of the next item or field. */
  next: number;
  comma: "" | ",";
}

/** An array or object that is being measured. */
interface Measured {
  container: object;
  values: readonly unknown[];
  next: number;
  length: number;
}

/** Whether the JSON of a value is longer than a piece, about. Stops counting there, so that the cost does not depend on the value. */
export function isLong(root: unknown): boolean {
  return countLength(root, pieceLength) > pieceLength;
}

/** The length of the JSON of a value in characters, about. Stops counting behind `limit`. */
export function countLength(root: unknown, limit: number): number {
  let length = 0;
  const waiting: unknown[] = [root];
  while (waiting.length > 0 && length <= limit) {
    const value = waiting.pop();
    length += lengthOf(value);
    if (!isContainer(value)) continue;
    // An array may have more items than that.
    const values: readonly unknown[] = Array.isArray(value) ? value.slice(0, limit / 4) : Object.values(value);
    for (const each of values) waiting.push(each);
  }
  return length;
}

/**
 * Encodes a value as `encodeJson` does, in pieces that are made when they are asked for. So a long value is never in memory as a whole text. It must
 * not change until the last piece is made. A piece may be empty, so that the caller can pause.
 */
export function* encodeJsonPieces(root: unknown): Generator<string, void> {
  const long = yield* findLong(root);
  const open: OpenContainer[] = [];
  const ancestors = new Set<object>();
  let item: Item | undefined = { before: "", value: root };
  while (item) {
    const { before, value }: Item = item;
    if (typeof value === "string" && value.length > pieceLength) {
      yield `${before}"`;
      for (const part of slices(value)) yield encodeJson(part).slice(1, -1);
      yield '"';
    } else if (!isContainer(value) || !long.has(value)) {
      yield before + encodeJson(value, ancestors);
    } else if (ancestors.has(value)) {
      yield `${before}"[circular]"`;
    } else {
      ancestors.add(value);
      const keys = Array.isArray(value) ? undefined : Object.keys(value);
      open.push({ container: value, keys, next: 0, comma: "" });
      yield before + (keys ? "{" : "[");
    }
    item = undefined;
    for (let last = open.at(-1); last && !item; last = open.at(-1)) {
      item = takeNext(last);
      if (item) continue;
      yield last.keys ? "}" : "]";
      ancestors.delete(last.container);
      open.pop();
    }
  }
}

/** Finds the arrays and plain objects that are longer than a piece. `JSON.stringify` knows about all others, and what they hold. */
function* findLong(root: unknown): Generator<string, ReadonlySet<object>> {
  const long = new Set<object>();
  const path = new Set<object>();
  const open: Measured[] = [];
  const begin = (value: unknown): void => {
    if (!isContainer(value) || !isOpenable(value) || path.has(value)) return;
    path.add(value);
    open.push({ container: value, values: Array.isArray(value) ? value : Object.values(value), next: 0, length: 0 });
  };
  begin(root);
  let count = 0;
  for (let last = open.at(-1); last; last = open.at(-1)) {
    if (last.next < last.values.length) {
      const value = last.values[last.next];
      last.next += 1;
      last.length += lengthOf(value);
      begin(value);
      count += 1;
      if (count % portion === 0) yield "";
      continue;
    }
    open.pop();
    path.delete(last.container);
    const parent = open.at(-1);
    if (parent) parent.length += last.length;
    if (last.length > pieceLength) long.add(last.container);
  }
  return long;
}

/** The length of the JSON of a value without what it holds, about. */
function lengthOf(value: unknown): number {
  return typeof value === "string" ? value.length + 8 : 8;
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** Whether an array or object can be encoded item by item. */
function isOpenable(value: object): boolean {
  if ("toJSON" in value) return false;
  if (Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** The next item of an array or field of an object; undefined after the last one. */
function takeNext(open: OpenContainer): Item | undefined {
  const { container, keys, comma } = open;
  const values = container as Readonly<Record<string | number, unknown>>;
  const length = keys ? keys.length : (container as readonly unknown[]).length;
  while (open.next < length) {
    const index = open.next;
    const key = keys?.[index];
    const value = values[key ?? index];
    open.next += 1;
    const isLeftOut = isAbsent(value);
    if (key !== undefined && isLeftOut) continue;
    open.comma = ",";
    if (key !== undefined) return { before: `${comma}${encodeJson(key)}:`, value };
    return { before: comma, value: isLeftOut ? null : value };
  }
  return undefined;
}

/** Whether `JSON.stringify` leaves a value out. */
function isAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "function" || typeof value === "symbol";
}

/** The parts of a long text. No character that consists of two code units is cut. */
function* slices(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = start + pieceLength;
    if (isHighSurrogate(text.charCodeAt(end - 1))) end += 1;
    yield text.slice(start, end);
    start = end;
  }
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
