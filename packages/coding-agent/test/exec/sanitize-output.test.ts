import { assertLinear } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { OutputSanitizer } from "../../src/exec/sanitize-output.ts";

const ESC = "\u001b";

const cases = [
  { name: "plain text, tabs and line feeds stay", input: "a\tb\nç €\n", text: "a\tb\nç €\n" },
  { name: "CSI: colours, cursor, private modes", input: `${ESC}[1;31mred${ESC}[0m ${ESC}[?25l${ESC}[2Kx`, text: "red x" },
  { name: "OSC title closed by BEL", input: `${ESC}]0;title\u0007text`, text: "text" },
  { name: "OSC hyperlink closed by ST", input: `${ESC}]8;;http://x.test${ESC}\\link${ESC}]8;;${ESC}\\!`, text: "link!" },
  { name: "OSC prompt marks", input: `${ESC}]133;A\u0007$ ${ESC}]133;B${ESC}\\ls`, text: "$ ls" },
  { name: "an unclosed OSC ends with its line", input: `${ESC}]0;title\nnext`, text: "\nnext" },
  { name: "DCS, APC, PM, SOS", input: `${ESC}Pq#0${ESC}\\a${ESC}_x${ESC}\\b${ESC}^y${ESC}\\c${ESC}Xz${ESC}\\d`, text: "abcd" },
  { name: "one-character forms of CSI, OSC and ST", input: "\u009b31mred\u009d0;t\u009c.", text: "red." },
  { name: "stray terminators", input: `a${ESC}\\b\u009cc\u0007d`, text: "abcd" },
  { name: "character sets and other short sequences", input: `${ESC}(Ba${ESC}7b${ESC}=c`, text: "abc" },
  { name: "a sequence broken off by a letter beyond ASCII", input: `${ESC}[3é${ESC}é`, text: "éé" },
  { name: "a sequence broken off by another", input: `${ESC}[3${ESC}[0mx`, text: "x" },
  { name: "control characters", input: "a\u0000b\u0001c\bd\u007fe\u0085f\u000cg", text: "abcdefg" },
  { name: "CRLF", input: "a\r\nb\r\n", text: "a\nb\n" },
  { name: "CR CR LF", input: "a\r\r\nb", text: "a\nb" },
  { name: "bare CR starts a new line", input: "10%\r20%\r100%\n", text: "10%\n20%\n100%\n" },
  { name: "bare CR with erasing between", input: `10%\r${ESC}[K20%\r${ESC}[K\n`, text: "10%\n20%\n" },
  { name: "CR on an empty line", input: "\r10%\n\r20%", text: "10%\n20%" },
  { name: "CR at the end", input: "done\r", text: "done" },
];

describe("TL-011 TL-010 terminal output becomes plain text, cut anywhere", () => {
  test.each(cases)("$name", ({ input, text }) => {
    for (let cut = 0; cut <= input.length; cut++) {
      const sanitizer = new OutputSanitizer();
      expect(sanitizer.write(input.slice(0, cut)) + sanitizer.write(input.slice(cut)), `cut at ${cut}`).toBe(text);
    }
  });
});

test.each([
  ["ESC", ESC],
  ["ESC ]", `${ESC}]`],
  ["ESC [", `${ESC}[`],
  ["CSI parameters", "1;"],
  ["CR", "\r"],
  ["NUL", "\u0000"],
])("TL-011 a megabyte of %s takes linear time", async (_name, piece) => {
  await assertLinear(1_000_000, (length) => {
    const input = `${ESC}[${piece.repeat(length / piece.length)}`;
    return () => new OutputSanitizer().write(input);
  });
});
