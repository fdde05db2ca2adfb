import fc from "fast-check";
import createIgnore from "ignore";
import { expect, test } from "vitest";
import { compileNameRules } from "../../../src/tools/search/name-rules.ts";

const piece = fc.constantFrom("a", "b", ".", "*", "-", "log", "#", "!", "**", "/", "[ab]", "\\", " ");
const rule = fc.array(piece, { maxLength: 5 }).map((pieces) => pieces.join(""));
const name = fc
  .array(fc.constantFrom("a", "b", ".", "-", "log", "ab"), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join(""));

test("rules about names mean the same as in the general matcher", () => {
  let compiled = 0;
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 4 }), fc.array(name, { minLength: 1, maxLength: 8 }), (rules, names) => {
      const text = rules.join("\n");
      const ignoresName = compileNameRules(text);
      if (!ignoresName) return;
      const matcher = createIgnore({ ignorecase: false, allowRelativePaths: true }).add(text);
      // A walk does not enter an ignored folder.
      if (matcher.ignores("X/")) return;
      compiled += 1;
      for (const file of names.filter((candidate) => !/^\.+$/.test(candidate))) {
        expect([text, file, ignoresName(file)]).toEqual([text, file, matcher.ignores(`X/${file}`)]);
      }
    }),
    { numRuns: 2000 },
  );
  expect(compiled).toBeGreaterThan(100);
});

test.each(["/dist", "src/*.log", "!keep", "[ab]", "a\\ b", "a**b", "a ", "..", "\ufeffdist"])(
  "a file with the rule %j is left to the general matcher",
  (line) => expect(compileNameRules(`*.log\n${line}`)).toBeUndefined(),
);
