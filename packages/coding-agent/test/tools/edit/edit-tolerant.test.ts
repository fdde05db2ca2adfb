import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { assertLinear } from "@pikit/test-kit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createEditTool } from "../../../src/tools/edit/definition.ts";
import { foldText } from "../../../src/tools/edit/fold-text.ts";
import type { EditParameters } from "../../../src/tools/edit/parameters.ts";
import { useTempFolder } from "../../exec/temp-folder.ts";
import { runTool, textOf } from "../run-tool.ts";

const folder = useTempFolder();

async function editFile(content: string, params: Omit<EditParameters, "path">) {
  const path = join(folder.path, "a.txt");
  await writeFile(path, content);
  const { details, ...result } = await runTool(createEditTool(folder.path), { path: "a.txt", ...params });
  return { content: await readFile(path, "utf8"), details, text: textOf({ ...result, details }) };
}

async function failToEdit(content: string, params: Omit<EditParameters, "path">): Promise<unknown> {
  const error = await editFile(content, params).catch((reason: unknown) => reason);
  expect(await readFile(join(folder.path, "a.txt"), "utf8")).toBe(content);
  return error;
}

describe("TL-024 what is not in the file exactly matches when it differs only in", () => {
  test.each([
    ["blanks at line ends of the file", "a  \nb\t\nc\n", "a\nb\n", "x\n", "x\nc\n"],
    ["blanks at line ends of the edit", "a\nb\nc\n", "a \nb\t\n", "x\n", "x\nc\n"],
    ["blanks after the edit's last line", "\ta()\n\tb()\n", "\ta()  \n\tb()  ", "\tc()", "\tc()\n"],
    ["curly quotes in the file", "say \u201chi\u201d, it\u2019s\n", `say "hi", it's`, `say "ho"`, `say "ho"\n`],
    ["curly quotes in the edit", `say "hi"\n`, "say \u201chi\u201d", "said", "said\n"],
    ["dashes", "1\u20132 \u2014 3 \u2212 4\n", "1-2 - 3 - 4", "x", "x\n"],
    ["special spaces", "a\u00a0b\u202fc\u3000d\n", "a b c d", "x", "x\n"],
    ["compatibility forms", "\uff21\uff22\uff43 \ufb01n \u2460 \u2026\n", "ABc fin 1 ...", "x", "x\n"],
    ["composed letters", "re\u0301sume\u0301 \ud55c\n", "r\u00e9sum\u00e9 \u1112\u1161\u11ab", "x", "x\n"],
    ["all of it, within a line", "let s = \u2018a\u2019;  \nlet t;\n", "s = 'a';\nlet", "s = 1;\nvar", "let s = 1;\nvar t;\n"],
  ])("%s", async (_what, content, oldText, newText, expected) => {
    const edited = await editFile(content, { oldText, newText });
    expect(edited.content).toBe(expected);
    expect(edited.details.tolerantMatches).toBe(1);
    expect(edited.text).toContain("oldText matched only with differences in blanks at line ends");
  });

  test("an exact match wins, however many others are like it", async () => {
    const edited = await editFile(`it's\nit\u2019s\n`, { oldText: "it\u2019s", newText: "x" });
    expect(edited).toMatchObject({
      content: "it's\nx\n",
      details: { tolerantMatches: 0 },
      text: expect.not.stringContaining("only"),
    });
  });

  test("ambiguity after folding is an error", async () => {
    expect(await failToEdit(`\u201ca\u201d\n"a" \u201ca\u201d\n`, { oldText: "\u201fa\u201d", newText: "x" })).toMatchObject({
      code: "ambiguous",
      message:
        "oldText occurs 3 times in a.txt when blanks at the ends of lines and kinds of quotes, dashes and spaces do not count " +
        "(lines 1, 2, 2). Nothing was changed. Add lines around it until it occurs once.",
    });
  });

  test("indentation, case, blanks within a line and letters count", async () => {
    for (const oldText of ["  a b", "\ta  b", "\tA b", "\ta c"])
      expect(await failToEdit("\ta b\n", { oldText, newText: "x" })).toMatchObject({ code: "not_found" });
  });

  test("blanks alone, and half of a character, match nothing", async () => {
    expect(await failToEdit("a\u00a0b\n", { oldText: " ", newText: "x" })).toMatchObject({ code: "not_found" });
    expect(await failToEdit("a\u2026b\n", { oldText: "a..", newText: "x" })).toMatchObject({ code: "not_found" });
  });

  test("blanks at the end of the edit stand for the end of a line or for blanks, not for what comes next", async () => {
    expect(await failToEdit("\u201cfoobar\u201d\n", { oldText: `"foo `, newText: "x" })).toMatchObject({ code: "not_found" });
    expect((await editFile("\u201cfoo bar\u201d\n", { oldText: `"foo `, newText: "x" })).content).toBe("xbar\u201d\n");
  });
});

describe("TL-024 untouched lines stay byte-identical", () => {
  test("lines around the match, and lines that old and new text share", async () => {
    const content = "top \u201cq\u201d  \nfirst \u2013 line  \nsecond\t\nthird\u00a0line\nend  ";
    const edited = await editFile(content, {
      oldText: "first - line\nsecond\nthird line\n",
      newText: "first - line\n2nd\nthird line\nfourth\n",
    });
    expect(edited.content).toBe("top \u201cq\u201d  \nfirst \u2013 line  \n2nd\nthird\u00a0line\nfourth\nend  ");
    expect(
      edited.details.diff
        .split("\n")
        .filter((line) => /^[-+]/.test(line))
        .slice(2),
    ).toEqual(["-second\t", "+2nd", "+fourth"]);
  });

  test("with CRLF, and with a byte order mark", async () => {
    const edited = await editFile("\ufeffa \r\nb\u2014\r\nc\r\n", { oldText: "a\nb-\nc", newText: "a\nB\nC\nc" });
    expect(edited.content).toBe("\ufeffa \r\nB\r\nC\r\nc\r\n");
  });

  test("in a file of mixed line ends, shared lines keep theirs", async () => {
    expect((await editFile("a\nb\r\nc\nd\ne\n", { oldText: "a\nb\nc\n", newText: "a\nb\nC\n" })).content).toBe("a\nb\r\nC\nd\ne\n");
  });

  test("several edits at once, one tolerant and one exact", async () => {
    const edits = [
      { oldText: "it's one", newText: "1" },
      { oldText: "two", newText: "2" },
    ];
    const edited = await editFile("two\nit\u2019s one\n", { edits });
    expect(edited).toMatchObject({ content: "2\n1\n", text: expect.stringContaining("edits[0] matched only") });
  });

  test("for any text that is spelt otherwise in the file, only the lines of the match change", async () => {
    const spellings: Record<string, string[]> = {
      "'": ["'", "\u2019", "\u2018"],
      '"': ['"', "\u201c", "\u201d"],
      "-": ["-", "\u2013", "\u2212"],
      " ": [" ", "\u00a0", "\u2009"],
      a: ["a", "\uff41"],
      "\n": ["\n", " \n", "\t \n"],
    };
    const character = fc.constantFrom(...Object.keys(spellings));
    const text = fc.array(fc.tuple(character, fc.nat(5)), { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(text, text, text, async (before, match, after) => {
        const plain = match.map(([key]) => key).join("");
        const spell = (parts: [string, number][]) =>
          parts.map(([key, choice]) => spellings[key]?.[choice % (spellings[key]?.length ?? 1)]).join("");
        const [head, tail] = [`${spell(before)}\n<`, `>\n${spell(after)}`];
        const content = `${head}${spell(match)}${tail}`;
        fc.pre(!content.includes(`<${plain}>`));
        const edited = await editFile(content, { oldText: `<${plain}>`, newText: "<new>" });
        expect(edited.content).toBe(`${head}new${tail}`);
      }),
      { numRuns: 200, seed: 3 },
    );
  });
});

test("docs/tools.md lists characters that are taken for the same", async () => {
  const document = await readFile(new URL("../../../../../docs/tools.md", import.meta.url), "utf8");
  for (const [row, plain] of [
    ["single quotes", "'"],
    ["double quotes", '"'],
    ["dashes", "-"],
  ] as const) {
    const cell = new RegExp(`^\\| ${row} \\| \`(.)\` (.*) \\|$`, "m").exec(document);
    const listed = (cell?.[2] ?? "").split(" ");
    expect([cell?.[1], listed.length > 3, listed.map((character) => foldText(character))]).toEqual([
      plain,
      true,
      listed.map(() => plain),
    ]);
  }
});

test("folding is linear in runs of blanks, and folds what it has folded to itself", async () => {
  await assertLinear(400_000, (length) => () => {
    expect(foldText(`${" ".repeat(length)}\u00a0x`)).toBe(`${" ".repeat(length + 1)}x`);
    expect(foldText(`x${" \u00a0".repeat(length / 2)}\ny`)).toBe("x\ny");
  });
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (text) => foldText(foldText(text)) === foldText(text)),
    { numRuns: 500, seed: 1 },
  );
});
