import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { applyMutant, findMutants } from "../../../scripts/mutate/find-mutants.ts";
import { whyUnprotected } from "../../../scripts/mutate/protection.ts";
import { RelatedTests } from "../../../scripts/mutate/related-tests.ts";
import { sample } from "../../../scripts/mutate/sample.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url)).replace(/\/$/, "");

/** Every mutant of a source, as the whole source that it makes. */
const mutantsOf = (source: string) => findMutants("a.ts", source).map((mutant) => applyMutant(source, mutant));

test.each<[source: string, mutants: string[]]>([
  ["if (a) b;", ["if (!(a)) b;"]],
  ["c = a ? b : d;", ["c = !(a) ? b : d;"]],
  ["x = a === b;", ["x = a !== b;"]],
  ["x = (a) <= b;", ["x = (a) < b;"]],
  ["x = a && b;", ["x = a || b;"]],
  ["await a(b);", [";"]],
  ["void a.b();", [";"]],
  ["f = () => { x = y; };", ["f = () => {};"]],
  ["f = [a, ...b];", ["f = [null, ...b];", "f = [a, ...[]];"]],
  ["switch (a) { case b: break; default: x = y; }", ["switch (a) {  default: x = y; }"]],
  [
    "x = 1; y = true; z = 'text'; s = '';",
    [
      "x = 2; y = true; z = 'text'; s = '';",
      "x = 1; y = false; z = 'text'; s = '';",
      "x = 1; y = true; z = \"\"; s = '';",
      "x = 1; y = true; z = 'text'; s = \"mutated\";",
    ],
  ],
])("mutants of %s", (source, mutants) => {
  expect(mutantsOf(source)).toEqual(mutants);
});

test("what has no effect at run time, and what is thrown, has no mutants", () => {
  const source = `import { a } from "b";
    export * from "c";
    interface D { e: "f"; }
    type G = 1 | 2;
    class H { readonly i: "j" = k as "l"; constructor() { super(); } "m"(n: 1): 2; }
    if (o === undefined) throw new Error("p");
    const { q } = await import("r");`;
  expect(mutantsOf(source)).toEqual([source.replace("{ super(); }", "{}"), source.replace("===", "!==")]);
});

test("a seed chooses the same mutants each time, another one others, and no mutant is chosen twice", () => {
  const items = Array.from({ length: 100 }, (_, index) => index);
  expect(sample(items, 20, 7)).toEqual(sample(items, 20, 7));
  expect(sample(items, 20, 7)).not.toEqual(sample(items, 20, 8));
  expect(sample(items, 200, 7).sort((a, b) => a - b)).toEqual(items);
});

test("the tests of a source are found through imports, those beside its mirror image first", () => {
  const related = new RelatedTests(root);
  const tests = related.of("packages/ai/src/assembler.ts");
  expect(tests[0]).toBe("packages/ai/test/assembler.test.ts");
  expect(tests).toContain("packages/agent/test/agent-loop.test.ts");
  // Programs that a test starts count too.
  expect(related.of("packages/coding-agent/src/cli.ts")).toContain("packages/coding-agent/test/modes/print.test.ts");
});

test("where the system cannot keep mutants from other files and processes, that is known", () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "pikit-mutate-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const reason = whyUnprotected(folder, root);
  expect(reason ?? "protected").toMatch(/^(protected|unshare )/);
  expect(existsSync(join(folder, "probe"))).toBe(reason === undefined);
  expect(existsSync(join(root, ".probe"))).toBe(false);
});
