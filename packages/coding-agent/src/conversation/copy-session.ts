import { SessionError } from "../errors.ts";
import type { CopyingStore, SessionInfo } from "./session-store.ts";

/** A place of sessions that can be copied, and can be found by their ids. */
export interface CopyPlace extends Pick<CopyingStore, "list" | "readLines" | "writeLines" | "remove"> {
  /** The ref of the session with exactly this id; undefined if there is none. */
  find(id: string): Promise<string | undefined>;
}

export interface CopyOptions {
  from: CopyPlace;
  to: CopyPlace;
  /** The session of `from`. */
  session: Pick<SessionInfo, "ref" | "id">;
}

/** The session of the other place, which is the same as the original. */
export interface SessionCopy {
  ref: string;
  /** The number of its entries. */
  entries: number;
  /** Whether it was there already. */
  isPresent: boolean;
}

/**
 * Copies a session to another place, then reads the copy and compares it with the original, line by line. A session that is written meanwhile
 * is copied as it was at the beginning.
 *
 * @throws {SessionError} `write_failed` when the other place has another session with this id, or when the copy differs from the original; such
 *   a copy is removed. The errors of both places.
 */
export async function copySession({ from, to, session: { ref, id } }: CopyOptions): Promise<SessionCopy> {
  const present = await to.find(id);
  if (present !== undefined) {
    const { different, count } = await compare(from.readLines(ref), to.readLines(present));
    if (different === undefined) return { ref: present, entries: count - 1, isPresent: true };
    throw new SessionError(
      "write_failed",
      `The session ${id} is there already, and differs from the original in line ${different}. Nothing was written; remove one of the two.`,
    );
  }
  const counter = { count: 0 };
  const copy = await to.writeLines(countLines(from.readLines(ref), counter));
  const { different } = await compare(firstLines(from.readLines(ref), counter.count), to.readLines(copy));
  if (different === undefined) return { ref: copy, entries: counter.count - 1, isPresent: false };
  await to.remove(copy);
  throw new SessionError(
    "write_failed",
    `The copy of the session ${id} differed from the original in line ${different}, and was removed. Copy it when no other program changes it.`,
  );
}

type Lines = AsyncIterable<readonly string[]>;

async function* countLines(lines: Lines, counter: { count: number }): AsyncGenerator<readonly string[]> {
  for await (const portion of lines) {
    counter.count += portion.length;
    yield portion;
  }
}

/** The lines up to a number of lines. */
async function* firstLines(lines: Lines, maxCount: number): AsyncGenerator<readonly string[]> {
  let left = maxCount;
  for await (const portion of lines) {
    yield portion.slice(0, left);
    left -= portion.length;
    if (left <= 0) return;
  }
}

/** Compares lines one by one. @returns The number of the first line that differs, from 1; undefined if none does. */
async function compare(original: Lines, copy: Lines): Promise<{ different: number | undefined; count: number }> {
  const copied = oneByOne(copy);
  let number = 0;
  try {
    for await (const portion of original) {
      for (const line of portion) {
        number += 1;
        if ((await copied.next()).value !== line) return { different: number, count: number };
      }
    }
    const { done } = await copied.next();
    return { different: done ? undefined : number + 1, count: number };
  } finally {
    await copied.return(undefined);
  }
}

async function* oneByOne(lines: Lines): AsyncGenerator<string, undefined> {
  for await (const portion of lines) yield* portion;
}
