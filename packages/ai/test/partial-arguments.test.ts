import { assertLinear } from "@pikit/test-kit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isTooDeep } from "../src/nesting.ts";
import { PartialArguments } from "../src/partial-arguments.ts";
import { anyCharacter } from "./helpers/characters.ts";

function read(...deltas: string[]): Record<string, unknown> {
  const reader = new PartialArguments();
  for (const delta of deltas) reader.append(delta);
  return reader.value;
}

const texts = [
  "{}",
  '{"path":"src/a.ts","limit":20,"deep":{"list":[1,-2.5,{"x":null}],"yes":true,"no":false},"end":"\\u00e9\\n\\"q\\""}',
  '{ "spaced" : [ ] , "emoji" : "👋🏽 你好" , "empty" : "" , "nested" : [[["a"]], {}] }',
  '{"__proto__":{"polluted":true},"constructor":{"prototype":1},"toString":"x"}',
  '{"escaped\\u0041key":"\\ud83d\\udc4b","n":[-1.5e10,1e-3,0.25,1E+2],"s":"end. \\\\"}',
];

/**
 * What is known of an object whose text was cut: everything completed, and the string that was being written. Slow and simple, as a
 * reference: strings and words are completed, half keys are dropped, then brackets are closed.
 */
function reference(prefix: string): unknown {
  const closers: string[] = [];
  let inString = false;
  let isKey = false;
  let safe = ""; // the longest prefix that can be closed as it is
  for (let i = 0; i < prefix.length; i += 1) {
    const char = prefix[i] as string;
    if (inString) {
      if (char === "\\") {
        const length = prefix[i + 1] === "u" ? 6 : 2;
        if (i + length > prefix.length) break;
        i += length - 1;
      } else if (char === '"') {
        inString = false;
      }
      if (!isKey) safe = prefix.slice(0, i + 1) + (inString ? '"' : "") + closers.toReversed().join("");
      continue;
    }
    if (char === '"') {
      const before = prefix.slice(0, i).trimEnd().at(-1);
      isKey = closers.at(-1) === "}" && before !== ":";
      inString = true;
      if (!isKey) safe = `${prefix.slice(0, i + 1)}"${closers.toReversed().join("")}`;
      continue;
    }
    if (char === "{" || char === "[") closers.push(char === "{" ? "}" : "]");
    if (char === "}" || char === "]") closers.pop();
    // One letter tells which of the three words is meant.
    const rest = i === prefix.length - 1 ? restOfWord(prefix) : "";
    const closed = prefix.slice(0, i + 1) + rest + closers.toReversed().join("");
    try {
      JSON.parse(closed);
      safe = closed;
    } catch {
      // in the middle of a key, a word, or behind a comma or colon
    }
  }
  if (safe === "") return {};
  return JSON.parse(safe);
}

function restOfWord(prefix: string): string {
  const begun = /[a-z]+$/.exec(prefix)?.[0];
  const word = ["true", "false", "null"].find((candidate) => begun !== undefined && candidate.startsWith(begun));
  return word?.slice(begun?.length) ?? "";
}

describe("AI-009 at every cut the value is what the text before it says", () => {
  test.each(texts)("%s", (text) => {
    for (let at = 0; at <= text.length; at += 1) {
      const prefix = text.slice(0, at);
      // Half an escape or half a pair may or may not be shown; neither side has both halves.
      if (/\\u[0-9a-f]{0,3}$|\\$|\\ud83d(?:\\u?[0-9a-f]{0,4})?$/.test(prefix) || !prefix.isWellFormed()) continue;
      expect.soft(read(prefix), `cut at ${at}: ${prefix}`).toEqual(reference(prefix));
    }
  });

  test.each(texts)("%s whatever pieces that text arrived in", (text) => {
    for (let at = 1; at <= text.length; at += 1) {
      const prefix = text.slice(0, at);
      const expected = read(...prefix.split(""));
      expect(read(prefix), `whole: ${prefix}`).toEqual(expected);
      const middle = Math.floor(at / 2);
      expect(read(prefix.slice(0, middle), prefix.slice(middle)), `halves: ${prefix}`).toEqual(expected);
      expect(read(prefix.slice(0, -1), prefix.slice(-1)), `last alone: ${prefix}`).toEqual(expected);
    }
  });

  test.each(['{"a": tru}, more', '{"a":1,"b": falsX', '{"a":[nulL]}', '{"a": 1x', '{"a": "b"c', '{"a": -}'])(
    "%s, which is no JSON, gives the same however it was cut",
    (text) => {
      for (let at = 0; at <= text.length; at += 1) expect(read(text.slice(0, at), text.slice(at))).toEqual(read(text));
      expect(read(...text)).toEqual(read(text));
    },
  );

  test.each(texts)("%s in single characters and in two pieces", (text) => {
    expect(read(...text)).toEqual(JSON.parse(text));
    for (let at = 0; at <= text.length; at += 1) expect(read(text.slice(0, at), text.slice(at))).toEqual(JSON.parse(text));
  });
});

test.each([
  { text: '{"a":"he', value: { a: "he" } },
  { text: '{"a":1,"b"', value: { a: 1 } },
  { text: "", value: {} },
  { text: "{", value: {} },
  { text: '{"a":[1,{"b":"c', value: { a: [1, { b: "c" }] } },
])("AI-009 $text", ({ text, value }) => {
  expect(read(text)).toEqual(value);
});

test("a key named __proto__ is data, while it arrives and when it is complete", () => {
  for (const text of ['{"__proto__":{"polluted":true},"a":"x', '{"__proto__":{"polluted":true},"a":"x"}']) {
    const value = read(text);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
    expect(Object.hasOwn(value, "__proto__")).toBe(true);
    expect(value).not.toHaveProperty("polluted");
  }
  expect({}).not.toHaveProperty("polluted");
});

test.each(["nonsense", "[1,2]", '"text"', "5", "{]", '{"a":1}}', '{"a" 1}', '{"a":tru', '{"a":"\u0000"}'])(
  "AI-010 %s neither throws nor gives anything but an object",
  (text) => {
    const value = read(...text);
    expect(typeof value).toBe("object");
    expect(Array.isArray(value)).toBe(false);
  },
);

test("what comes after a fault or after the end changes nothing", () => {
  expect(read('{"a":1]', ',"b":2}')).toEqual(read('{"a":1]'));
  expect(read('{"a":1}', '{"b":2}')).toEqual({ a: 1 });
});

test("any JSON object in any pieces is read as JSON.parse reads it, and never throws on the way", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.nat(200)), (object, cuts) => {
      const text = JSON.stringify(object);
      const reader = new PartialArguments();
      let at = 0;
      for (const size of cuts) {
        reader.append(text.slice(at, at + size));
        expect(typeof reader.value).toBe("object");
        at += size;
      }
      reader.append(text.slice(at));
      expect(reader.value).toEqual(JSON.parse(text));
    }),
  );
});

test("values that were handed out do not change, and stay the same object while nothing arrives", () => {
  const reader = new PartialArguments();
  reader.append('{"a":{"b":[1');
  const first = reader.value;
  expect(reader.value).toBe(first);
  const before = structuredClone(first);
  reader.append(',2],"c":"x"},"d":3}');
  expect(first).toEqual(before);
  expect(reader.value).toEqual({ a: { b: [1, 2], c: "x" }, d: 3 });
});

/** What follows a string that is the last thing in JSON, innermost first. */
function closersOf(json: string, depth: number): string {
  return json.slice(json.length - depth);
}

test("growth is what a string got at its end, and openStringDepth says where that is in the JSON of the value", () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 20 }),
    fc
      .array(fc.constantFrom("\\", '"', "\n", "😀", "\u2028", "\ud83d", "\ude00", "é", "words "), { maxLength: 30 })
      .map((parts) => parts.join("")),
  );
  const key = fc.oneof(fc.constantFrom("a", "b", "0", "7", "__proto__"), fc.string());
  const value = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.integer(),
      fc.array(tie("node"), { maxLength: 3 }),
      fc.dictionary(key, tie("node"), { maxKeys: 3 }),
    ),
  })).node;
  let grown = 0;
  fc.assert(
    fc.property(
      fc.dictionary(key, value, { maxKeys: 4 }),
      fc.boolean(),
      fc.array(fc.integer({ min: 1, max: 9 })),
      (object, isEscaped, sizes) => {
        const json = JSON.stringify(object);
        const whole = isEscaped
          ? json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
          : json;
        const reader = new PartialArguments();
        let before = { json: "{}", depth: undefined as number | undefined };
        for (let at = 0, turn = 0; at < whole.length; turn += 1) {
          const size = sizes[turn % sizes.length] ?? 3;
          reader.append(whole.slice(at, at + size));
          at += size;
          const now = { json: JSON.stringify(reader.value), depth: reader.openStringDepth };
          if (now.depth !== undefined) expect(closersOf(now.json, now.depth + 1)).toMatch(/^"[\]}]+$/);
          if (before.depth !== undefined && reader.growth !== undefined) {
            grown += 1;
            const end = closersOf(before.json, before.depth + 1);
            expect(now.depth).toBe(before.depth);
            expect(before.json.slice(0, -end.length) + JSON.stringify(reader.growth).slice(1, -1) + end).toBe(now.json);
          }
          before = now;
        }
        expect(reader.value).toEqual(JSON.parse(json));
        expect(reader.openStringDepth).toBeUndefined();
      },
    ),
    { numRuns: 500 },
  );
  expect(grown).toBeGreaterThan(100);
});

test("one delta of 20 MB within a string is read", () => {
  const reader = new PartialArguments();
  for (const delta of ['{"a":"x', "y".repeat(20_000_000), '"}']) reader.append(delta);
  expect((reader.value.a as string).length).toBe(20_000_001);
});

test("AI-008 1 MB in pieces of 1 KB, looked at after each, takes linear time", async () => {
  await assertLinear(10_500, (lines) => {
    const line = `${"x".repeat(98)}\\n`;
    const text = JSON.stringify({ path: "a.txt", content: "" }).replace('""', `"${line.repeat(lines)}"`);
    return () => {
      const reader = new PartialArguments();
      let seen = 0;
      for (let at = 0; at < text.length; at += 1024) {
        reader.append(text.slice(at, at + 1024));
        seen += Object.keys(reader.value).length;
      }
      expect(seen).toBeGreaterThan(text.length / 1100);
      expect(reader.value).toEqual(JSON.parse(text));
    };
  });
});

test("AI-008 a long flat list, looked at after each piece, takes linear time", async () => {
  await assertLinear(20_000, (count) => {
    const text = JSON.stringify({ items: Array.from({ length: count }, (_, i) => ({ id: i, name: `item ${i}` })) });
    return () => {
      const reader = new PartialArguments();
      for (let at = 0; at < text.length; at += 1024) {
        reader.append(text.slice(at, at + 1024));
        void reader.value;
      }
      expect(reader.value).toEqual(JSON.parse(text));
    };
  });
});

test("AI-039 text that is nested too deep gives what stands before, and costs no more than other text", async () => {
  const partial = new PartialArguments();
  partial.append('{"path":"a","deep":');
  for (let level = 0; level < 4000; level += 1) partial.append("[");
  expect(isTooDeep(partial.value)).toBe(false);
  expect(partial.value).toMatchObject({ path: "a", deep: expect.any(Array) });
  partial.append("1");
  expect(partial.value).toMatchObject({ path: "a" });
});
