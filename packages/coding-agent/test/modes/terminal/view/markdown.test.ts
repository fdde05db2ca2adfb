import { setCapabilities } from "@earendil-works/pi-tui/dist/terminal-image.js";
import { describe, expect, test, vi } from "vitest";
import { createTheme } from "../../../../src/modes/terminal/theme/create-theme.ts";
import { loadHighlighter } from "../../../../src/modes/terminal/view/code-colors.ts";
import { loadMarkdown } from "../../../../src/modes/terminal/view/markdown.ts";
import { TextBlock } from "../../../../src/modes/terminal/view/text-block.ts";

await loadMarkdown();

setCapabilities({ images: null, trueColor: false, hyperlinks: false });

function render(text: string, { width = 60, colors = 0 } = {}): string[] {
  const block = new TextBlock(createTheme({ colors, isLight: false }));
  block.add(text);
  block.end();
  return block.takeFinished(width);
}

describe("Markdown", () => {
  test("of all kinds", () => {
    const text = `# Head **x**
Para \`code\` line
second line with [link](http://x.y)
- a
- b
  - c
* [x] done

1. one

   para in one

   \`\`\`js
   let x = 1;
     y();
   \`\`\`
3) three

> quote
> more
lazy

---
Under
-----
Name | Size
---|---
\`a\` | **1**

\`\`\`ts
const a = 1;

	tab();
\`\`\`
end`;
    expect(render(text)).toEqual([
      "Head x",
      "",
      "Para code line",
      "second line with link (http://x.y)",
      "- a",
      "- b",
      "  - c",
      "* [x] done",
      "",
      "1. one",
      "",
      "   para in one",
      "",
      "   ```js",
      "   let x = 1;",
      "     y();",
      "   ```",
      "3) three",
      "",
      "│ quote",
      "│ more",
      "│ lazy",
      "",
      "────────────────────────────────────────────────────────────",
      "",
      "Under",
      "",
      "┌──────┬──────┐",
      "│ Name │ Size │",
      "├──────┼──────┤",
      "│ a    │ 1    │",
      "└──────┴──────┘",
      "",
      "```ts",
      "const a = 1;",
      "",
      "    tab();",
      "```",
      "end",
    ]);
  });

  test("wraps texts below their first words, and wide characters by their cells", () => {
    expect(render("- one two three four\n  1. five six seven eight", { width: 20 })).toEqual([
      "- one two three four",
      "  1. five six seven",
      "     eight",
    ]);
    expect(render("漢字漢字漢字漢字漢字漢字", { width: 20 })).toEqual(["漢字漢字漢字漢字漢字", "漢字"]);
  });

  test("has room for the text of deep lists", () => {
    const lines = render(`- a\n  - b\n    - c\n      - d\n        - e\n          - deep words here`, { width: 24 });
    expect(lines.at(-1)).toBe("      - deep words here");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(24);
  });

  const rowsOf = (count: number) => Array.from({ length: count }, (_, index) => `| ${index} | x |\n`).join("");

  test("a table of some hundred rows is one table; while it grows, its last rows are drawn", () => {
    const block = new TextBlock(createTheme({ colors: 0, isLight: false }));
    block.add(`| a | b |\n|---|---|\n${rowsOf(300)}`);
    expect(block.takeFinished(30)).toEqual([]);
    const drawn = block.render(30).filter((line) => line.includes("x"));
    expect([drawn.length, drawn.at(-1)]).toEqual([50, expect.stringContaining("299")]);
    block.end();
    const lines = block.takeFinished(30);
    expect(lines.filter((line) => line.includes("x"))).toHaveLength(300);
    expect(lines.filter((line) => line.startsWith("┌") || line.startsWith("└"))).toHaveLength(2);
  });

  test("a longer table has its header once", () => {
    const lines = render(`| a | b |\n|---|---|\n${rowsOf(600)}`);
    expect(lines.filter((line) => line.includes("│ a"))).toHaveLength(1);
    expect(lines.filter((line) => line.includes("x"))).toHaveLength(600);
    const [borders, ends] = ["┌", "└"].map((corner) => lines.flatMap((line, index) => (line.startsWith(corner) ? [index] : [])));
    // The second piece begins below the first one.
    expect([borders?.length, ends?.length]).toEqual([2, 2]);
    expect(borders?.[1]).toBe((ends?.[0] ?? 0) + 1);
  });

  test("keeps definitions of links, and sends no control characters", () => {
    expect(render("[1]: http://a.b\n[2]: http://c.d")).toEqual(["[1]: http://a.b", "[2]: http://c.d"]);
    expect(render("a\x1b[31mb\x07 &#27;[31m &#x1b;]0;t&#7; &#155;x &#65; &#9731;")).toEqual([
      "ab &#27;[31m &#x1b;]0;t&#7; &#155;x A ☃",
    ]);
    expect(render("```\n\x1b[2Jx\u009b31m\n```")).toEqual(["```", "x", "```"]);
    expect(render("is \u202edesrever\u202c and \u2066isolated\u2069")).toEqual(["is desrever and isolated"]);
  });

  test("tabs of code in a list lose the columns of the list", () => {
    expect(render("- ```\n\ta\n\t\tb\n  ```")).toEqual(["- ```", "    a", "        b", "  ```"]);
  });

  test("parts that were not taken are drawn with the rest", () => {
    const block = new TextBlock(createTheme({ colors: 0, isLight: false }));
    block.add("# A\n\none\n\ntwo");
    expect(block.render(30)).toEqual(["A", "", "one", "", "two"]);
    expect(block.render(30)).toEqual(["A", "", "one", "", "two"]);
    expect(block.takeFinished(30)).toEqual(["A", "", "one"]);
    expect(block.render(30)).toEqual(["", "two"]);
  });

  test("a text that streams is the same in the end, however often it is drawn", () => {
    const text = "# A\n\nSome **bold\ntext** and `code`.\n\n- a\n- b\n\n```js\nlet a;\n```\n\na | b\n--|--\n1 | 2\n\nend";
    const theme = createTheme({ colors: 0, isLight: false });
    const block = new TextBlock(theme);
    const printed: string[] = [];
    for (const character of text) {
      block.add(character);
      printed.push(...block.takeFinished(30));
      block.render(30);
    }
    block.end();
    const rest = block.render(30);
    expect([...printed, ...rest]).toEqual(render(text, { width: 30 }));
    expect(block.takeFinished(30)).toEqual(rest);
    expect([block.takeFinished(30), block.render(30)]).toEqual([[], []]);
  });
});

describe("colours", () => {
  test("are in each line, and end with it", () => {
    expect(render("**bold words that wrap here** `code`", { colors: 16, width: 20 })).toEqual([
      "\x1b[1mbold words that wrap\x1b[22m",
      "\x1b[1mhere\x1b[22m \x1b[33mcode\x1b[39m",
    ]);
    expect(render("> a quote that wraps at the end", { colors: 16, width: 20 })).toEqual([
      "\x1b[90m│ \x1b[39m\x1b[90m\x1b[3ma quote that wraps\x1b[39m\x1b[23m",
      "\x1b[90m│ \x1b[39m\x1b[3;90mat the end\x1b[23m\x1b[39m",
    ]);
  });

  test("of code are those of its language, also in a comment that goes over pieces", async () => {
    const code = `/* first\n${"comment\n".repeat(20)}last */\nconst a = 1;\n`;
    const text = `\`\`\`js\n${code}\`\`\`\n`;
    await loadHighlighter();
    const lines = render(text, { colors: 16 });
    expect(lines[1]).toBe("\x1b[90m/* first\x1b[39m");
    expect(lines.slice(2, 22)).toEqual(Array<string>(20).fill("\x1b[90mcomment\x1b[39m"));
    expect(lines.slice(22)).toEqual([
      "\x1b[90mlast */\x1b[39m",
      "\x1b[35mconst\x1b[39m a = \x1b[33m1\x1b[39m;",
      "\x1b[90m```\x1b[39m",
    ]);
    const pieces: [language: string, code: string, colored: string][] = [
      [
        "js",
        "f(/a/, 'b', 1, true)",
        "\x1b[94mf\x1b[39m(\x1b[32m/a/\x1b[39m, \x1b[32m'b'\x1b[39m, \x1b[33m1\x1b[39m, \x1b[33mtrue\x1b[39m)",
      ],
      ["diff", "+ a", "\x1b[32m+ a\x1b[39m"],
      ["diff", "- a", "\x1b[31m- a\x1b[39m"],
      ["python", "def f(): # c", "\x1b[35mdef\x1b[39m \x1b[94mf\x1b[39m(): \x1b[90m# c\x1b[39m"],
      ["json", '{"a": 1}', '{\x1b[36m"a"\x1b[39m: \x1b[33m1\x1b[39m}'],
      ["css", ".a { color: red }", "\x1b[36m.a\x1b[39m { \x1b[36mcolor\x1b[39m: red }"],
    ];
    expect(pieces.map(([language, code]) => render(`\`\`\`${language}\n${code}\n`, { colors: 16 })[1])).toEqual(
      pieces.map(([, , colored]) => colored),
    );
    expect(render("```nonsense\nlet x;\n```", { colors: 16 })[1]).toBe("let x;");
    expect(render("```html\n<b>&lt;&amp;</b>\n```", { colors: 16 })[1]).toBe(
      "\x1b[35m<\x1b[35mb\x1b[39m\x1b[35m>\x1b[39m\x1b[33m&lt;\x1b[39m\x1b[33m&amp;\x1b[39m\x1b[35m</\x1b[35mb\x1b[39m\x1b[35m>\x1b[39m",
    );
  });
});

test("a text waits until the renderer is loaded, and is then printed in full", async () => {
  vi.resetModules();
  const fresh = await import("../../../../src/modes/terminal/view/markdown.ts");
  const blocks = await import("../../../../src/modes/terminal/view/text-block.ts");
  const block = new blocks.TextBlock(createTheme({ colors: 0, isLight: false }));
  block.add("Some **bold** words");
  block.end();
  expect([block.isDone, block.render(40), block.takeFinished(40)]).toEqual([false, [], []]);
  await fresh.markdownLoaded;
  expect([block.isDone, block.takeFinished(40)]).toEqual([true, ["Some bold words"]]);
});
