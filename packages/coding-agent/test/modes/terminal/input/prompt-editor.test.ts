import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readKeys } from "../../../../src/modes/terminal/input/keys.ts";
import { visibleWidth } from "../../../../src/modes/terminal/library.ts";
import { ctrl, key, paste, TestEditor, theme } from "./helpers.ts";

const longPaste = paste(Array.from({ length: 20 }, (_, index) => `line ${index}`).join("\r"));
const longText = Array.from({ length: 20 }, (_, index) => `line ${index}`).join("\n");

describe("drawing", () => {
  test("an empty editor is the mark, the cursor and a dim placeholder, cut to the width", () => {
    const placeholder = "Ask anything";
    expect(new TestEditor({ theme, placeholder }).lines()).toEqual(["<accent>›</accent> |<dim>Ask anything</dim>"]);
    expect(new TestEditor({ placeholder }).lines(10).map(stripVTControlCharacters)).toEqual(["› |Ask a..."]);
  });

  test("lines are wrapped at words, by the width of their graphemes, and have no borders and no spaces at the end", () => {
    const editor = new TestEditor({ theme });
    editor.editor.setText("世界 hello world, many words\n👨‍👩‍👧 family");
    expect(editor.lines(20)).toEqual(["<accent>›</accent> 世界 hello", "  world, many words", "  👨‍👩‍👧 family|"]);
  });

  test("the cursor is on its character", () => {
    const editor = new TestEditor();
    editor.type("a漢b");
    editor.press(key.left, key.left);
    expect(editor.lines()).toEqual(["› a|漢b"]);
  });

  test("shell commands have another mark", () => {
    const editor = new TestEditor({ theme });
    editor.type("!ls");
    expect(editor.lines()).toEqual(["<warning>$</warning> !ls|"]);
    editor.editor.setText("!!ls");
    expect(editor.lines()).toEqual(["<dim>$</dim> !!ls|"]);
  });

  test("the styles of the moment are used", () => {
    const changing = { ...theme };
    const editor = new TestEditor({ theme: changing });
    expect(editor.lines()).toEqual(["<accent>›</accent> |"]);
    changing.accent = (text) => `<light>${text}</light>`;
    expect(editor.lines()).toEqual(["<light>›</light> |"]);
  });

  test("of a long text the rows at the cursor are shown, and how many more there are", () => {
    const editor = new TestEditor({ theme });
    editor.editor.setText(Array.from({ length: 30 }, (_, index) => `l${index}`).join("\n"));
    expect(editor.lines()).toEqual(["  <dim>↑ 23 more</dim>", ...[23, 24, 25, 26, 27, 28].map((n) => `  l${n}`), "  l29|"]);
    editor.press(...Array<string>(10).fill(key.up));
    expect(editor.lines()).toEqual([
      "  <dim>↑ 19 more</dim>",
      "  l19|",
      ...[20, 21, 22, 23, 24, 25].map((n) => `  l${n}`),
      "  <dim>↓ 4 more</dim>",
    ]);
  });

  test("no line is wider than the terminal, whatever is typed, and the cursor is in one place", () => {
    const inputs = fc.array(
      fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom(...Object.values(key)), fc.constant(longPaste)),
    );
    fc.assert(
      fc.property(inputs, fc.integer({ min: 10, max: 100 }), (typed, width) => {
        const editor = new TestEditor();
        editor.press(...typed.filter((each) => each !== ""));
        const lines = editor.editor.render(width);
        expect(lines.filter((line) => visibleWidth(line) > width)).toEqual([]);
        expect(editor.lines(width).join("\n").split("|").length - typed.join("").split("|").length).toBeLessThanOrEqual(1);
      }),
      { numRuns: 100 },
    );
  });
});

describe("typing", () => {
  test("Enter sends, and the editor is empty; nothing is sent without text", () => {
    const editor = new TestEditor();
    editor.press(key.enter, " ", key.enter);
    expect(editor.sent).toEqual([]);
    editor.type(" hello ");
    editor.press(key.enter);
    expect(editor.sent).toEqual([["submit", "hello", []]]);
    expect(editor.editor.text).toBe("");
  });

  test("Alt-Enter sends for later, in both forms", () => {
    const editor = new TestEditor();
    for (const form of [key.altEnter, "\x1b[13;3u"]) {
      editor.type("later");
      editor.press(form);
    }
    editor.press(key.altEnter);
    expect(editor.sent).toEqual([
      ["followUp", "later", []],
      ["followUp", "later", []],
    ]);
  });

  test.each([
    ["Shift-Enter of the Kitty protocol", key.shiftEnter],
    ["Shift-Enter of modifyOtherKeys", "\x1b[27;2;13~"],
    ["Ctrl-J", key.ctrlJ],
    ["Ctrl-J of the Kitty protocol", "\x1b[106;5u"],
  ])("%s starts a new line", (_name, newLine) => {
    const editor = new TestEditor();
    editor.press("a", newLine, "b", key.enter);
    expect(editor.texts).toEqual(["a\nb"]);
  });

  test("a backslash before Enter starts a new line", () => {
    const editor = new TestEditor();
    editor.press("a", "\\", key.enter, "b");
    expect(editor.lines()).toEqual(["› a", "  b|"]);
  });

  test("keys of the settings take effect", () => {
    const editor = new TestEditor({ keys: readKeys({ submit: "ctrl+enter", newLine: "enter" }).bindings });
    editor.press("a", key.enter, "b", "\x1b[13;5u");
    expect(editor.texts).toEqual(["a\nb"]);
  });

  test("words: moving over them, deleting them, and getting them back", () => {
    const editor = new TestEditor();
    editor.type("one two three");
    editor.press("\x1b[1;5D", "\x1bb");
    expect(editor.lines()).toEqual(["› one |two three"]);
    editor.press(ctrl("w"));
    expect(editor.lines()).toEqual(["› |two three"]);
    editor.press(ctrl("e"), ctrl("a"), "\x1bd", ctrl("e"), " ", ctrl("y"));
    expect(editor.lines()).toEqual(["›  three two|"]);
    editor.press("\x1by");
    expect(editor.lines()).toEqual(["›  three one |"]);
    editor.press(ctrl("a"), ctrl("k"));
    expect(editor.editor.text).toBe("");
  });

  test("undo takes back one word after the other", () => {
    const editor = new TestEditor();
    editor.type("one two");
    editor.press(key.undo);
    expect(editor.lines()).toEqual(["› one|"]);
    editor.press("\x1b[45;6u");
    expect(editor.lines()).toEqual(["› |"]);
  });

  test("characters of the Kitty protocol are typed, and releases of keys do nothing", () => {
    const editor = new TestEditor();
    expect(editor.press("\x1b[97u", "\x1b[97;1:3u", "\x1b[97:65;2u", "\x1b[99;5:3u")).toBe(true);
    expect(editor.editor.text).toBe("aA");
  });
});

describe("keys of the session", () => {
  test("the editor leaves them to the session", () => {
    const editor = new TestEditor();
    const keys = [key.escape, ctrl("c"), ctrl("d"), ctrl("g"), ctrl("l"), ctrl("o"), ctrl("p"), ctrl("t"), ctrl("v"), ctrl("z")];
    expect([...keys, "\x1b[Z", "\x1b[1;3A"].filter((each) => editor.press(each))).toEqual([]);
    editor.type("text");
    expect(editor.press(ctrl("c"))).toBe(false);
    expect(editor.editor.text).toBe("text");
  });

  test("Ctrl-D deletes while there is text, and exits otherwise", () => {
    const editor = new TestEditor();
    editor.press("a", "b", key.left);
    expect(editor.press(ctrl("d"))).toBe(true);
    expect(editor.editor.text).toBe("a");
    editor.press(key.backspace);
    expect(editor.press(ctrl("d"))).toBe(false);
  });
});

describe("pasting", () => {
  test("a short text is inserted, without control sequences", () => {
    const editor = new TestEditor();
    editor.press("a", paste("one\r\ntwo\x1b[31m\x07\rthree"), "b");
    expect(editor.lines()).toEqual(["› aone", "  two", "  threeb|"]);
  });

  test("a long text is a marker, which is one character for the cursor, and the text when it is sent", () => {
    const editor = new TestEditor();
    editor.press("a", longPaste, key.left, "b");
    expect(editor.lines()).toEqual(["› ab|[paste #1 +20 lines]"]);
    expect(editor.editor.expandedText).toBe(`ab${longText}`);
    editor.press(key.enter);
    expect(editor.texts).toEqual([`ab${longText}`]);
  });

  test("tabs and markers in a long pasted text stay as they are", () => {
    const editor = new TestEditor();
    const text = `\t[paste #1 +21 lines]\n${"\tx\n".repeat(20)}end`;
    editor.press(paste(text), key.enter);
    expect(editor.texts).toEqual([text.trim()]);
  });

  test("a pasted marker is text", () => {
    const editor = new TestEditor();
    editor.press(paste("[paste #1 +21 lines]"), key.enter);
    expect(editor.texts).toEqual(["[paste #1 +21 lines]"]);
  });

  test("a newline at the end of a pasted text sends nothing", () => {
    const editor = new TestEditor();
    editor.press(paste("echo hi\r"));
    expect(editor.sent).toEqual([]);
    expect(editor.lines()).toEqual(["› echo hi", "  |"]);
  });
});

describe("replacing the text", () => {
  test("undo brings back what was cleared, with its pasted texts", () => {
    const editor = new TestEditor();
    editor.press("a", longPaste, "b");
    editor.editor.clear();
    expect(editor.lines()).toEqual(["› |"]);
    editor.press(key.undo);
    expect(editor.lines()).toEqual(["› a[paste #1 +20 lines]b|"]);
    editor.press(key.enter);
    expect(editor.texts).toEqual([`a${longText}b`]);
  });

  test("after something else was typed, it is not brought back", () => {
    const editor = new TestEditor();
    editor.press("a", longPaste);
    editor.editor.clear();
    editor.press("x", key.backspace, key.enter);
    expect(editor.sent).toEqual([]);
  });

  test("a very long line is shown like a pasted text, so that each key is fast", () => {
    const editor = new TestEditor();
    const text = "word ".repeat(100_000).trim();
    editor.editor.setText(text);
    expect(editor.lines()).toEqual([`› [paste #1 ${text.length} chars]|`]);
    editor.press("!", key.enter);
    expect(editor.texts).toEqual([`${text}!`]);
  });

  test("control sequences of a text that is set do not reach the terminal", () => {
    const editor = new TestEditor();
    editor.editor.setText("a\x1b[2Jb\x07c");
    editor.editor.paste("\x1b]0;title\x07d");
    expect(editor.lines()).toEqual(["› abcd|"]);
  });
});

describe("history", () => {
  const pastPrompts = () => {
    const prompts = ["one", "two\nlines", "three"];
    return { prompts, history: { list: () => prompts, add: (text: string) => void prompts.push(text) } };
  };

  test("Up and Down go through the prompts, and back to the text that was being typed", () => {
    const { history } = pastPrompts();
    const editor = new TestEditor({ history });
    editor.press("d", longPaste, key.left);
    const seen = [key.up, key.up, key.up, key.up, key.up, key.down, key.down, key.down, key.down].map((each) => {
      editor.press(each);
      return editor.lines();
    });
    expect(seen).toEqual([
      ["› |d[paste #1 +20 lines]"],
      ["› three|"],
      ["› |two", "  lines"],
      ["› one|"],
      ["› one|"],
      ["› two", "  lines|"],
      ["› three|"],
      ["› d[paste #1 +20 lines]|"],
      ["› d[paste #1 +20 lines]|"],
    ]);
    editor.press(key.enter);
    expect(editor.texts).toEqual([`d${longText}`]);
  });

  test("in a text of several rows Up and Down move the cursor first", () => {
    const { history } = pastPrompts();
    const editor = new TestEditor({ history });
    editor.press(key.up, key.up);
    expect(editor.lines()).toEqual(["› |two", "  lines"]);
    editor.press(key.down);
    expect(editor.lines()).toEqual(["› two", "  |lines"]);
    editor.press(key.down);
    expect(editor.lines()).toEqual(["› three|"]);
  });

  test("the rows of a wrapped line count", () => {
    const history = { list: () => ["first", "some words that need more rows"], add: () => undefined };
    const editor = new TestEditor({ history });
    editor.lines(14);
    editor.press(key.up, key.down);
    expect(editor.lines(14)).toEqual(["› some words", "  |that need", "  more rows"]);
    editor.press(key.up, key.up);
    expect(editor.lines(14)).toEqual(["› first|"]);
  });

  test("a recalled prompt that was changed is a text of its own", () => {
    const { history, prompts } = pastPrompts();
    const editor = new TestEditor({ history });
    editor.press(key.up, "x", key.home, key.up);
    expect(editor.lines()).toEqual(["› three|"]);
    editor.press(key.down);
    expect(editor.lines()).toEqual(["› threex|"]);
    editor.press(key.enter);
    expect(prompts).toEqual(["one", "two\nlines", "three", "threex"]);
  });

  test("without history Up goes to the start", () => {
    const editor = new TestEditor();
    editor.press("a", "b", key.up);
    expect(editor.lines()).toEqual(["› |ab"]);
  });

  test("keys for the history work from everywhere in the text", () => {
    const { history } = pastPrompts();
    const keys = readKeys({ historyPrevious: "ctrl+r", historyNext: "ctrl+s" }).bindings;
    const editor = new TestEditor({ history, keys });
    editor.press("a", ctrl("r"), ctrl("r"), ctrl("s"));
    expect(editor.lines()).toEqual(["› three|"]);
    editor.press(ctrl("s"));
    expect(editor.lines()).toEqual(["› a|"]);
  });
});
