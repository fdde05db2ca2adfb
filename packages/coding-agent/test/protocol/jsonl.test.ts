import { assertLinear, everyCut } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import { encodeLine, LineDecoder } from "../../src/protocol/jsonl.ts";

/** The lines of an input that comes in these pieces; "(too long)" where one was skipped. */
function decode(chunks: Iterable<Uint8Array>, maxLength?: number): string[] {
  const lines: string[] = [];
  const decoder = new LineDecoder({ onLine: (line) => lines.push(line), onTooLong: () => lines.push("(too long)") }, maxLength);
  for (const chunk of chunks) decoder.push(chunk);
  decoder.end();
  return lines;
}

const bytes = (text: string) => new TextEncoder().encode(text);

const cases = [
  { name: "LF ends a record", input: "a\nb\n", lines: ["a", "b"] },
  { name: "the end of input ends the last one", input: "a\nb", lines: ["a", "b"] },
  { name: "one CR before LF is dropped, others are data", input: "a\r\nb\r\r\nc\rd\n", lines: ["a", "b\r", "c\rd"] },
  { name: "a CR at the end of input is dropped", input: "a\r", lines: ["a"] },
  { name: "blank lines are skipped", input: "\n\n  \n\r\na\n \t\r\n\nb\n\n", lines: ["a", "b"] },
  {
    name: "U+2028, U+2029, U+0085, VT and FF do not end a record",
    input: "a\u2028b\u2029c\u0085d\u000be\u000cf\ng\n",
    lines: ["a\u2028b\u2029c\u0085d\u000be\u000cf", "g"],
  },
  { name: "characters of two, three and four bytes", input: "é€😀\n😀€é\n", lines: ["é€😀", "😀€é"] },
];

describe("RP-001 RP-002 input is cut into records at LF only", () => {
  test.each(cases)("$name, cut at every byte", ({ input, lines }) => {
    for (const pieces of everyCut(input)) expect(decode(pieces)).toEqual(lines);
  });

  test.each(cases)("$name, byte by byte", ({ input, lines }) => {
    expect(decode(Array.from(bytes(input), (byte) => Uint8Array.of(byte)))).toEqual(lines);
  });

  test("bytes that are no UTF-8 become U+FFFD, and the record is still found", () => {
    expect(decode([Uint8Array.of(0x61, 0xff, 0x62, 0x0a, 0x63, 0xe2, 0x82)])).toEqual(["a\ufffdb", "c\ufffd"]);
  });
});

describe("a line over the limit", () => {
  test("is reported once and skipped to its LF, in one piece or in many", () => {
    const input = `ok\n${"x".repeat(50)}\nok\r\n${"y".repeat(11)}\n${"z".repeat(10)}\n`;
    const expected = ["ok", "(too long)", "ok", "(too long)", "z".repeat(10)];
    for (const pieces of everyCut(input)) expect(decode(pieces, 10)).toEqual(expected);
    expect(
      decode(
        Array.from(bytes(input), (byte) => Uint8Array.of(byte)),
        10,
      ),
    ).toEqual(expected);
  });

  test("at the end of input is reported too", () => {
    expect(decode([bytes("x".repeat(20))], 10)).toEqual(["(too long)"]);
  });
});

test("RP-002 a line of 20 MB in small pieces takes linear time", async () => {
  await assertLinear(20_000, (count) => {
    const chunk = bytes("x".repeat(1000));
    const chunks = Array.from({ length: count }, () => chunk).concat(bytes("\n"));
    return () => expect(decode(chunks)[0]).toHaveLength(count * 1000);
  });
});

describe("encoding a record", () => {
  test("RP-001 foreign line breaks are written as escapes and read back as they were", () => {
    const record = { text: "a\u2028b\u2029c\u0085d\ne\rf", "\u2028": 1 };
    const line = encodeLine(record);
    expect(line).toBe('{"text":"a\\u2028b\\u2029c\\u0085d\\ne\\rf","\\u2028":1}\n');
    expect(JSON.parse(line)).toEqual(record);
    expect(decode([bytes(line)])).toEqual([line.slice(0, -1)]);
  });

  test.each(["\u0085", "\u2028", "\u2029"])("RP-001 one that is alone in a text of Latin or of other letters: %j", (lineBreak) => {
    for (const text of [lineBreak, `é${lineBreak}`, `€ (x)${lineBreak}`.repeat(3)]) {
      const line = encodeLine({ text });
      expect(line).not.toContain(lineBreak);
      expect(JSON.parse(line)).toEqual({ text });
    }
  });

  test("RP-015 a lone surrogate becomes an escape, a pair stays", () => {
    expect(encodeLine({ text: "\ud83d 😀 \ude00" })).toBe('{"text":"\\ud83d 😀 \\ude00"}\n');
  });

  test("RP-015 what JSON cannot hold costs its own field only", () => {
    const cyclic: Record<string, unknown> = { name: "loop" };
    cyclic.self = cyclic;
    cyclic.list = [cyclic];
    const shared = { n: 1 };
    const record = {
      big: 2n ** 70n,
      cyclic,
      twice: [shared, shared],
      run() {},
      list: [() => 1, undefined, Symbol("s"), Number.NaN],
      date: new Date(0),
      faulty: {
        get value() {
          throw new Error("no");
        },
      },
      faultyJson: {
        toJSON() {
          throw new Error("no");
        },
      },
      ["__proto__"]: "own",
      text: "kept",
    };
    expect(JSON.parse(encodeLine(record))).toEqual({
      big: "1180591620717411303424",
      cyclic: { name: "loop", self: "[circular]", list: ["[circular]"] },
      twice: [{ n: 1 }, { n: 1 }],
      list: [null, null, null, null],
      date: "1970-01-01T00:00:00.000Z",
      faulty: "[cannot be shown as JSON]",
      faultyJson: "[cannot be shown as JSON]",
      ["__proto__"]: "own",
      text: "kept",
    });
  });

  test("RP-015 a value nested deeper than the stack still gives a line", () => {
    let deep: unknown = 1n;
    for (let depth = 0; depth < 200_000; depth += 1) deep = [deep];
    expect(JSON.parse(encodeLine({ type: "kept", details: deep }))).toMatchObject({ type: "kept" });
  });
});
