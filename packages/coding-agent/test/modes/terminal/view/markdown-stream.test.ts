import { assertLinear } from "@pikit/test-kit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { visibleWidth } from "../../../../src/modes/terminal/library.ts";
import { createTheme } from "../../../../src/modes/terminal/theme/create-theme.ts";
import { loadMarkdown } from "../../../../src/modes/terminal/view/markdown.ts";
import { type MarkdownPart, MarkdownStream } from "../../../../src/modes/terminal/view/markdown-stream.ts";
import { TextBlock } from "../../../../src/modes/terminal/view/text-block.ts";

await loadMarkdown();

const theme = createTheme({ colors: 0, isLight: false });
const seed = 20_260_801;

function split(text: string): MarkdownPart[] {
  const stream = new MarkdownStream();
  return [...stream.push(text), ...stream.end()];
}

/** The texts of the parts as they are released by each line, and by the end. */
function releases(text: string): string[][] {
  const stream = new MarkdownStream();
  const byLine = text.split(/(?<=\n)/).map((line) => stream.push(line));
  return [...byLine, stream.end()].map((parts) => parts.map((part) => part.text));
}

describe("a part is released", () => {
  test("a paragraph at its blank line, a heading at its end", () => {
    expect(releases("# A\none\ntwo\n\nthree")).toEqual([["# A\n"], [], [], ["one\ntwo\n", "\n"], [], ["three"]]);
  });

  test("an item of a list when the next begins", () => {
    expect(releases("- a\n  more\n- b\n  - c\n\nend\n")).toEqual([
      [],
      [],
      ["- a\n  more\n"],
      ["- b\n"],
      ["  - c\n", "\n"],
      [],
      ["end\n"],
    ]);
  });

  test("code in pieces, at a blank line or when there is much of it", () => {
    const lines = Array.from({ length: 20 }, (_, index) => `${index}\n`);
    const released = releases(`\`\`\`js\n${lines.join("")}\`\`\`\n`);
    expect(released.map((texts) => texts.length)).toEqual([1, ...lines.map((_, index) => (index === 15 ? 1 : 0)), 2, 0]);
    expect(releases("```\n1\n2\n3\n4\n5\n\n6\n").map((texts) => texts.length)).toEqual([1, 0, 0, 0, 0, 0, 1, 0, 1]);
  });

  test("a table when it ends, and a long one in pieces", () => {
    expect(releases("a | b\n--|--\n1 | 2\n\n")).toEqual([[], [], [], ["a | b\n--|--\n1 | 2\n", "\n"], []]);
    const partsOf = (rows: number, cell = "2") =>
      split(`| a | b |\n|---|---|\n${`| 1 | ${cell} |\n`.repeat(rows)}`).map(({ kind, content }) => [
        kind,
        content.split("\n").length,
      ]);
    expect(partsOf(498)).toEqual([["table", 500]]);
    expect(partsOf(550)).toEqual([
      ["table", 500],
      ["table", 52],
    ]);
    // 50,000 characters
    expect(partsOf(100, "x".repeat(990))).toEqual([
      ["table", 53],
      ["table", 49],
    ]);
  });

  test("a long paragraph line by line", () => {
    expect(releases("x\n".repeat(12)).map((texts) => texts.length)).toEqual([...Array<number>(9).fill(0), 1, 1, 1, 0]);
  });

  test("a list that follows a paragraph, unless it could be a number at the beginning of a line", () => {
    const textsOf = (text: string) => split(text).map((part) => part.text);
    expect(textsOf("one\n- a\n")).toEqual(["one\n", "- a\n"]);
    expect(textsOf("one\n1. a\n")).toEqual(["one\n", "1. a\n"]);
    expect(textsOf("in the year\n1986. Good\n-\n")).toEqual(["in the year\n1986. Good\n-\n"]);
    expect(textsOf("- one\n7. a\n")).toEqual(["- one\n", "7. a\n"]);
  });

  test("a quote at its end, and a long one in pieces", () => {
    expect(releases("> a\n> b\nlazy\n\n")).toEqual([[], [], [], ["> a\n> b\nlazy\n", "\n"], []]);
    expect(split("> x\n".repeat(32)).map(({ content }) => content.split("\n").length)).toEqual([30, 1, 1]);
  });

  test("a long line in pieces, at a space if there is one", () => {
    const stream = new MarkdownStream();
    const words = "word ".repeat(1000);
    const early = stream.push(words).map(({ text }) => text.length);
    expect(early).toEqual([2000, 2000]);
    expect(stream.end().map(({ text }) => text.length)).toEqual([1000]);
    expect(split("😀".repeat(1500)).map(({ text }) => text.length)).toEqual([2000, 1000]);
    expect(split(`x${"😀".repeat(1500)}`).map(({ text }) => text.length)).toEqual([1999, 1002]);
  });
});

/** Lines of all kinds. \`W\` is replaced by a word of its own. */
const forms = [
  ..."W|  W|    W|      W|\tW|||# W|## W|- W|* W|  - W|    - W|1. W|2. W|   1. W|10) W|> W|> > W|>W|```W|```|~~~|~~~js W|   ```".split(
    "|",
  ),
  ..."---;***;===;W | W;| W | W |;|---|---|;--- | ---;[W]: http://a.b/W;[^W]: W;**W;*W* `W;`W`;<div>W;</div>;- ```;- # W;- > W".split(
    ";",
  ),
  ..."- - W;-;1.;- [ ] W;$$W;\\[W;\\W;&#27;W;W  ;W\\;W\r".split(";"),
];
const documents = fc.array(fc.constantFrom(...forms), { maxLength: 30 }).map((lines) => {
  let count = 0;
  const words: string[] = [];
  const nextWord = () => {
    words.push(`w${count++}q`);
    return words.at(-1) ?? "";
  };
  const text = lines.map((line) => line.replace(/W/g, nextWord)).join("\n");
  return { text, words };
});
const pieceLengths = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 20 });

test("the parts together are the text, and do not depend on its pieces", () => {
  fc.assert(
    fc.property(documents, pieceLengths, ({ text }, lengths) => {
      const whole = split(text);
      expect(whole.map((part) => part.text).join("")).toBe(text);
      const stream = new MarkdownStream();
      const parts: MarkdownPart[] = [];
      for (let at = 0, index = 0; at < text.length; index++) {
        const length = lengths[index % lengths.length] ?? 1;
        parts.push(...stream.push(text.slice(at, at + length)));
        // Looking at the rest changes nothing.
        stream.peek();
        at += length;
      }
      expect([...parts, ...stream.end()]).toEqual(whole);
    }),
    { seed, numRuns: 400 },
  );
});

test("each word is shown once, without control characters, within the width", () => {
  fc.assert(
    fc.property(documents, fc.integer({ min: 20, max: 100 }), ({ text, words }, width) => {
      const block = new TextBlock(theme);
      block.add(text);
      block.end();
      const lines = block.takeFinished(width);
      expect(lines.filter((line) => visibleWidth(line) > width)).toEqual([]);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: those are not expected
      expect(lines.filter((line) => /[\u0000-\u001f\u007f-\u009f]/.test(line))).toEqual([]);
      const shown = lines.join("").replace(/[\s│]/g, "");
      expect(words.map((word) => shown.split(word).length - 1)).toEqual(words.map(() => 1));
    }),
    { seed, numRuns: 400 },
  );
});

test("the time is linear in the length of the text, whatever it is and however it arrives", async () => {
  for (const unit of [
    "word ",
    "word\n",
    "- item\n",
    "\n",
    "x".repeat(40),
    "| a | b |\n|---|---|\n",
    "> quote\n",
    "```\n",
    "    - x\n",
  ]) {
    await assertLinear(100_000, (length) => {
      const text = unit.repeat(Math.ceil(length / unit.length));
      return () => {
        const stream = new MarkdownStream();
        for (let at = 0; at < text.length; at += 7) stream.push(text.slice(at, at + 7));
        return stream.end();
      };
    });
  }
});
