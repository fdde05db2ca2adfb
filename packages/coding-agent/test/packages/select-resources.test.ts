import { describe, expect, test } from "vitest";
import { selectFiles } from "../../src/packages/select-resources.ts";

const files = [
  "extensions/a.ts",
  "extensions/b/index.ts",
  "extensions/old/c.ts",
  "skills/search/SKILL.md",
  "skills/write/SKILL.md",
];

describe("patterns of files", () => {
  test.each([
    [[], []],
    [["extensions/a.ts"], ["extensions/a.ts"]],
    [["./extensions/a.ts"], ["extensions/a.ts"]],
    [["extensions"], ["extensions/a.ts", "extensions/b/index.ts", "extensions/old/c.ts"]],
    [["extensions/*.ts"], ["extensions/a.ts"]],
    [["extensions/*"], ["extensions/a.ts"]],
    [["extensions/b"], ["extensions/b/index.ts"]],
    [["skills/*"], ["skills/search/SKILL.md", "skills/write/SKILL.md"]],
    [
      ["**/*.ts", "!extensions/old/*"],
      ["extensions/a.ts", "extensions/b/index.ts"],
    ],
    [["search"], ["skills/search/SKILL.md"]],
    [["!extensions/**"], ["skills/search/SKILL.md", "skills/write/SKILL.md"]],
    [
      ["!extensions/**", "+extensions/a.ts"],
      ["extensions/a.ts", "skills/search/SKILL.md", "skills/write/SKILL.md"],
    ],
    [["skills/*", "-skills/write"], ["skills/search/SKILL.md"]],
    [
      ["skills/search", "+extensions/b/index.ts"],
      ["extensions/b/index.ts", "skills/search/SKILL.md"],
    ],
    [["-/root/extensions/a.ts", "!skills", "!extensions/{b,old}/**"], []],
    [["nothing"], []],
  ])("%j", async (patterns, chosen) => {
    const all = files.map((file) => `/root/${file}`);
    expect(await selectFiles(all, patterns, "/root")).toEqual(chosen.map((file) => `/root/${file}`));
  });

  test("an invalid glob is an error", async () => {
    await expect(selectFiles(["/root/a.ts"], ["a{b"], "/root")).rejects.toThrow(/a\{b/);
  });
});
