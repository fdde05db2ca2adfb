import { expect, test } from "vitest";
import { SharedLooks } from "../../src/prompt/shared-looks.ts";

/** Looks that end when the test says so; each gives its number. */
function hold() {
  const looks = new SharedLooks<number>();
  const ends: (() => void)[] = [];
  const read = () =>
    new Promise<number>((resolve) => {
      const number = ends.length;
      ends.push(() => resolve(number));
    });
  return { ends, look: (key: string) => looks.look(key, read) };
}

test("callers at the same time share the look that begins after them, and another key has its own", async () => {
  const { ends, look } = hold();
  const first = look("a");
  const others = [look("a"), look("a")];
  const elsewhere = look("b");
  expect(ends).toHaveLength(2);
  ends[1]?.();
  expect(await elsewhere).toBe(1);
  ends[0]?.();
  expect(await first).toBe(0);
  const late = look("a");
  ends[2]?.();
  expect(await Promise.all(others)).toEqual([2, 2]);
  ends[3]?.();
  expect(await late).toBe(3);
  expect(ends).toHaveLength(4);
});

test("a caller that comes after a look looks again", async () => {
  const { ends, look } = hold();
  const first = look("a");
  ends[0]?.();
  expect(await first).toBe(0);
  const second = look("a");
  ends[1]?.();
  expect(await second).toBe(1);
});

test("a look that fails fails for its callers only", async () => {
  const looks = new SharedLooks<string>();
  const failing = looks.look("a", () => Promise.reject(new Error("no")));
  const next = looks.look("a", () => Promise.resolve("read"));
  await expect(failing).rejects.toThrow("no");
  expect(await next).toBe("read");
});
