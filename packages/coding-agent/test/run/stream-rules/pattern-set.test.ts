import { assertLinear } from "@pikit/test-kit";
import fc from "fast-check";
import { RE2JS } from "re2js";
import { describe, expect, test } from "vitest";
import { PatternSet } from "../../../src/run/stream-rules/pattern-set.ts";

const compile = (...patterns: string[]) => PatternSet.compile(patterns.map((pattern) => ({ name: pattern, pattern })));

/** The numbers of the patterns that match after each piece, and at the end. */
async function scan(patterns: string[], pieces: string[]): Promise<number[][]> {
  const scanner = (await compile(...patterns)).begin();
  const after = pieces.map((piece) => [...scanner.append(piece)].sort());
  return [...after, [...scanner.end()].sort()];
}

describe("a text in pieces", () => {
  test.each<[string, string[], number[][]]>([
    ["foo", ["fo", "o"], [[], [0], [0]]],
    ["foo.*bar", ["foo and", " then\n", "bar foo ba", "r"], [[], [], [], [0], [0]]],
    ["^foo", ["foo"], [[0], [0]]],
    ["^foo", ["x", "foo"], [[], [], []]],
    ["(?m)^foo", ["x\n", "foo"], [[], [0], [0]]],
    ["foo$", ["foo", " bar"], [[], [], []]],
    ["foo$", ["bar ", "foo"], [[], [], [0]]],
    ["(?m)foo$", ["foo", "\nbar"], [[], [0], [0]]],
    ["\\bfoo\\b", ["a foo", "d"], [[], [], []]],
    ["\\bfoo\\b", ["a foo", ", so"], [[], [0], [0]]],
    ["\\bfoo\\b", ["a foo"], [[], [0]]],
    ["😀+!", ["\ud83d", "\ude00!"], [[], [0], [0]]],
    ["\\ud83d", ["\ud83d"], [[], [0]]],
    ["(?i)straße", ["STRA", "ßE"], [[], [0], [0]]],
    ["(?<word>a{3})", ["aa", "", "a"], [[], [], [0], [0]]],
  ])("%s in %j matches after the pieces %j", async (pattern, pieces, expected) => {
    expect(await scan([pattern], pieces)).toEqual(expected);
  });

  test("several patterns are looked for in one pass, and texts are independent", async () => {
    const patterns = await compile("one", "two", "o");
    const first = patterns.begin();
    const second = patterns.begin();
    expect([...first.append("tw")]).toEqual([]);
    expect([...second.append("on")]).toEqual([2]);
    expect([...first.append("o")].sort()).toEqual([1, 2]);
    expect([...second.append("e")].sort()).toEqual([0, 2]);
  });
});

test("however a text is cut, the patterns match that match in the whole text", async () => {
  const sources = [
    ...["ab", "a.*b", "(?s)a.*b", "^a", "(?m)^b", "b$", "(?m)b$", "\\bab\\b", "\\Bb", "a\\b.", "(a|b)*c", "[^ab]{2,3}a"],
    ...["(?i)AB", "é+", "😀b", "\\s\\S\\s", "\\d+\\.\\d", "a{2,5}?b", "(?:ab){2}", "c\\z", "\\Aab", "[\\x{1F600}-\\x{1F64F}]$"],
  ];
  const text = fc
    .array(fc.constantFrom(...Array.from("aabbcAB é😀\n1."), "ab", "\ud83d", "\ude00"), { maxLength: 40 })
    .map((parts) => parts.join(""));
  const patterns = fc.subarray(sources, { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(text, patterns, fc.array(fc.nat(100), { maxLength: 12 }), async (whole, chosen, cuts) => {
      const places = [...new Set(cuts.map((cut) => Math.min(cut, whole.length)))].sort((a, b) => a - b);
      const pieces = [0, ...places].map((from, index) => whole.slice(from, places[index] ?? whole.length));
      expect(pieces.join("")).toBe(whole);
      const found = (await scan(chosen, pieces)).at(-1);
      const expected = chosen.flatMap((pattern, index) =>
        RE2JS.compile(RE2JS.translateRegExp(pattern)).test(whole) ? [index] : [],
      );
      expect(found).toEqual(expected);
    }),
    { numRuns: process.env.PIKIT_LONG === "1" ? 20_000 : 500 },
  );
});

test("a match is seen in the piece that completes it, unless what follows decides", async () => {
  const whole = "We could call eval(input) here.";
  for (let cut = 0; cut <= whole.length; cut += 1) {
    const [first, second] = await scan(["eval\\("], [whole.slice(0, cut), whole.slice(cut)]);
    expect([cut, first, second]).toEqual([cut, cut >= whole.indexOf("(") + 1 ? [0] : [], [0]]);
  }
});

describe("SC-014 time", () => {
  /** Reads a text of that length, in pieces of 4 characters. */
  function reading(scanner: ReturnType<PatternSet["begin"]>, length: number, alphabet: string): () => void {
    let seed = 1;
    const pieces = Array.from({ length: length / 4 }, () => {
      let piece = "";
      for (let index = 0; index < 4; index += 1) {
        seed = (seed * 48271) % 2147483647;
        piece += alphabet[seed % alphabet.length];
      }
      return piece;
    });
    return () => {
      for (const piece of pieces) scanner.append(piece);
    };
  }

  test.each(["(a*)*b$", "(a|aa)+$", "(x+x+)+y", "^(([a-z])+.)+[A-Z]([a-z])+$", "a.*b.*c.*d.*e$", "(.*a){20}z"])(
    "%s over 240 kB of hostile text in 60,000 pieces takes linear time",
    async (pattern) => {
      await assertLinear(240_000, async (length) => reading((await compile(pattern)).begin(), length, "aaaaaaaaxab"));
    },
  );

  test("a pattern with a million states costs by the length of the text, not by its states", async () => {
    // States are kept with the pattern, so each reading has a pattern of its own.
    await assertLinear(160_000, async (length) => reading((await compile("[ab]*a[ab]{20}c")).begin(), length, "ab"));
  });
});

describe("a trigger that cannot be used is refused and named", () => {
  test.each([
    ["(unclosed", "missing closing"],
    ["a(?=b)", "look-around"],
    ["(a)\\1", "back-references"],
    ["x{2000}", "invalid repeat count"],
    ["a*", "matches the empty text"],
    ["", "matches the empty text"],
    ["$", "matches the empty text"],
  ])("%s", async (pattern, reason) => {
    const refused = PatternSet.compile([{ name: "my rule", pattern }]);
    await expect(refused).rejects.toMatchObject({ code: "invalid_input", message: expect.stringContaining(reason) });
    await expect(refused).rejects.toThrow('the rule "my rule"');
  });
});
