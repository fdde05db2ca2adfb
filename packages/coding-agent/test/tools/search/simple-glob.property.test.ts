import fc from "fast-check";
import { expect, test } from "vitest";
import { compileGlob } from "../../../src/tools/search/glob.ts";
import { compileSimpleGlob } from "../../../src/tools/search/simple-glob.ts";

const text = (unit: string[], maxLength: number) => fc.string({ unit: fc.constantFrom(...unit), maxLength });
const folder = text(["a", "b", "."], 2).filter((name) => name !== "" && name !== "." && name !== "..");
const name = text(["a", "b", ".", "*"], 5).filter((glob) => !glob.includes("**"));
const braces = fc.array(name.filter(Boolean), { minLength: 1, maxLength: 3 }).map((names) => `{${names.join(",")}}`);

const glob = fc
  .record({
    root: fc.constantFrom("", "/"),
    folders: fc.array(folder, { maxLength: 2 }),
    any: fc.constantFrom("", "**/"),
    name,
    braces,
  })
  .chain(({ root, folders, any, name: before, braces: options }) =>
    fc
      .constantFrom(before, before + options, `${options}a`)
      .map((last) => `${root}${folders.map((each) => `${each}/`).join("")}${any}${last}`),
  );
const path = fc.array(folder, { minLength: 1, maxLength: 4 }).map((names) => names.join("/"));

test("a simple glob matches the same paths as the regular expression of a glob with the same meaning", async () => {
  let compared = 0;
  const property = fc.asyncProperty(glob, fc.array(path, { minLength: 10, maxLength: 20 }), async (simple, paths) => {
    const matches = compileSimpleGlob(simple);
    // A class of one letter is the letter, and a glob with a class is not simple.
    const same = simple.replace(/[ab]/, "[$&]");
    if (!matches || same === simple) return;
    compared += 1;
    expect(compileSimpleGlob(same)).toBeUndefined();
    const regular = await compileGlob(same);
    for (const each of paths) expect([simple, each, matches(each)]).toEqual([simple, each, regular.matches(each, false)]);
  });
  await fc.assert(property, { numRuns: 300, seed: 24 });
  expect(compared).toBeGreaterThan(200);
});
