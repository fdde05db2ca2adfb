import { expect } from "vitest";

/** Expects the records of `wanted` in `records`, in this order, with others between them and more fields in them. */
export function expectSubsequence(records: readonly object[], wanted: readonly object[]): void {
  let next = 0;
  for (const record of records) if (next < wanted.length && isLike(record, wanted[next] as object)) next += 1;
  // What is missing, against everything that could have been it.
  if (next < wanted.length) expect(records).toContainEqual(expect.objectContaining(wanted[next] as object));
  expect(wanted.slice(next)).toEqual([]);
}

function isLike(record: object, wanted: object): boolean {
  try {
    expect(record).toMatchObject(wanted);
    return true;
  } catch {
    return false;
  }
}
