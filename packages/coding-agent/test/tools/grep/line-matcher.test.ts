import { assertLinear } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { createLineMatcher } from "../../../src/tools/grep/line-matcher.ts";

async function matching(pattern: string, lines: readonly string[], options: { isLiteral?: boolean; ignoreCase?: boolean } = {}) {
  const matches = await createLineMatcher({ pattern, isLiteral: false, ignoreCase: false, ...options });
  return lines.filter(matches);
}

describe("patterns mean what they mean to ripgrep", () => {
  test.each([
    ["\\w+", ["été", "_", "٣", "-"], ["été", "_", "٣"]],
    ["^\\d$", ["4", "٣", "x"], ["4", "٣"]],
    ["a\\sb", ["a b", "a\u00a0b", "a\u2028b", "ab"], ["a b", "a\u00a0b", "a\u2028b"]],
    ["^[\\w.]+$", ["a.é", "a b"], ["a.é"]],
    ["^[^\\d\\s]$", ["4", " ", "é"], ["é"]],
    ["[\\D]", ["4", "x"], ["x"]],
    ["^[\\S]$", [" ", "\u3000", "é", "😀"], ["é", "😀"]],
    ["^\\W$", ["é", "!"], ["!"]],
    ["\\u00e9|\\u{1F600}|\\x{41}|\\x42", ["é", "😀", "A", "B", "C"], ["é", "😀", "A", "B"]],
    ["[[:alpha:]]{2}", ["ab", "a1"], ["ab"]],
    ["[]a]", ["]", "b"], ["]"]],
    ["(?i)HIT", ["hit", "no"], ["hit"]],
    ["\\.\\{\\}", [".{}", "x"], [".{}"]],
    ["^b$", ["a\rb", "ab"], ["a\rb"]],
    ["(?P<year>\\d{4})-\\d\\d", ["2025-11", "205-11"], ["2025-11"]],
  ])("%s", async (pattern, lines, expected) => {
    expect(await matching(pattern, lines)).toEqual(expected);
  });

  test("TL-035 literal and ignore-case", async () => {
    const lines = ["a.(b", "A.(B", "axb", "STRASSE", "ſtraße"];
    expect(await matching("a.(b", lines, { isLiteral: true })).toEqual(["a.(b"]);
    expect(await matching("a.(b", lines, { isLiteral: true, ignoreCase: true })).toEqual(["a.(b", "A.(B"]);
    expect(await matching("straße", lines, { ignoreCase: true })).toEqual(["ſtraße"]);
  });
});

test.each([
  ["a(b", "missing closing ): `a(b`"],
  ["a{", "repetition quantifier expects a valid decimal"],
  ["(?=x)", "look-around, including look-ahead and look-behind, is not supported"],
  ["(?<!x)", "look-around, including look-ahead and look-behind, is not supported"],
  ["(a)\\1", "backreferences are not supported"],
  ["[a-z&&[^b]]", "set operations in classes need ripgrep, which is not in use here"],
  ["[[a]", "a [ inside a class must be written \\["],
  ["a\\", "trailing backslash at end of expression"],
])("%s is refused: %s", async (pattern, reason) => {
  await expect(matching(pattern, [])).rejects.toMatchObject({
    code: "invalid_pattern",
    message: expect.stringContaining(`"${pattern}" is not a valid regular expression: ${reason}`),
  });
});

test.each(["(a+)+$b", "(a|aa)+b", "(.*a){20}b", "\\w*\\w*\\w*\\w*!"])(
  "SC-014 %s takes linear time on a line of 1 MB",
  async (pattern) => {
    await assertLinear(1_000_000, (length) => {
      const line = "a".repeat(length);
      return async () => expect(await matching(pattern, [line])).toEqual([]);
    });
  },
);
