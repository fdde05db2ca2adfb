import { assertLinear } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { compileGlob, lastNameGlob } from "../../../src/tools/search/glob.ts";

const paths = [
  "x.ts",
  "a.test.ts",
  "src/x.ts",
  "src/deep/er/x.spec.ts",
  "src/x.js",
  "src/[id].ts",
  "é.ts",
  "a{b}.ts",
  ".env",
  "n\nl.ts",
];

describe("compileGlob", () => {
  test.each([
    ["*.ts", ["x.ts", "a.test.ts", "src/x.ts", "src/deep/er/x.spec.ts", "src/[id].ts", "é.ts", "a{b}.ts", "n\nl.ts"]],
    ["?.ts", ["x.ts", "src/x.ts", "é.ts"]],
    ["src/*.ts", ["src/x.ts", "src/[id].ts"]],
    ["/x.*", ["x.ts"]],
    ["./src/*.js", ["src/x.js"]],
    ["src/**", ["src/x.ts", "src/deep/er/x.spec.ts", "src/x.js", "src/[id].ts"]],
    ["src/**/*.spec.ts", ["src/deep/er/x.spec.ts"]],
    ["src/**/x.ts", ["src/x.ts"]],
    ["**/x.ts", ["x.ts", "src/x.ts"]],
    ["**/er/**", ["src/deep/er/x.spec.ts"]],
    ["x.{ts,js}", ["x.ts", "src/x.ts", "src/x.js"]],
    ["{*.test,*.spec}.ts", ["a.test.ts", "src/deep/er/x.spec.ts"]],
    ["{src/**/*.js,**/*.test.ts}", ["a.test.ts", "src/x.js"]],
    ["[a-x].ts", ["x.ts", "src/x.ts"]],
    ["[!a-x].ts", ["é.ts"]],
    ["\\[id\\].ts", ["src/[id].ts"]],
    ["a\\{b\\}.ts", ["a{b}.ts"]],
    [".*", [".env"]],
    ["X.TS", []],
    ["x.ts/", []],
  ])("TL-038 %s", async (glob, expected) => {
    const { matches } = await compileGlob(glob);
    expect(paths.filter((path) => matches(path, false))).toEqual(expected);
  });

  test("a glob with a final / is about folders", async () => {
    const { matches } = await compileGlob("src/");
    expect([matches("src", true), matches("deep/src", true), matches("src", false), matches("src/x", true)]).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  test.each([
    ["[a", "a [ has no ] behind it"],
    ["{a,b", "a { has no } behind it"],
    ["a}", "a } has no { before it"],
    ["[z-a]", "the range z-a is the wrong way round"],
    ["a\\", "it ends with a backslash"],
    ["./", "it is empty"],
  ])("%s is refused: %s", async (glob, reason) => {
    await expect(compileGlob(glob)).rejects.toMatchObject({
      code: "invalid_pattern",
      message: expect.stringContaining(`"${glob}" is not a valid glob: ${reason}. Examples: `),
    });
  });

  test("SC-014 hostile globs take linear time", async () => {
    for (const glob of [`${"*a".repeat(30)}b`, `**/${"**/a*".repeat(20)}b`, "{a,aa}{a,aa}{a,aa}{a,aa}{a,aa}*b"]) {
      const compiled = await compileGlob(glob);
      await assertLinear(100_000, (length) => {
        const name = "a".repeat(length);
        return () => expect(compiled.matches(name, false)).toBe(false);
      });
    }
    await assertLinear(
      4000,
      (length) => () => expect(compileGlob("[".repeat(length))).rejects.toMatchObject({ code: "invalid_pattern" }),
    );
  });
});

test.each([
  ["*.ts", "*.ts"],
  ["src/**/*.{ts,tsx}", "*.{ts,tsx}"],
  ["**", undefined],
  ["src/*", undefined],
  ["src/", undefined],
  ["{src,test}/*.ts", undefined],
  ["[ab].ts", undefined],
  ["a**b", undefined],
  ["!x", undefined],
  ["x{,y}", undefined],
  ["é*.ts", undefined],
])("ripgrep narrows %s to %s", (glob, narrowed) => {
  expect(lastNameGlob(glob)).toBe(narrowed);
});
