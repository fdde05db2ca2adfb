import { assertLinear } from "@pikit/test-kit";
import fc from "fast-check";
import { expect, test } from "vitest";
import { StringValues } from "../../../src/run/stream-rules/string-values.ts";

/** The values that were read from a JSON text in these pieces; one that has not ended is marked. */
function read(...pieces: string[]): string[] {
  const values: string[] = [];
  let open: string | undefined;
  const reader = new StringValues({
    begin() {
      open = "";
    },
    append(piece) {
      open += piece;
    },
    end() {
      values.push(open as string);
      open = undefined;
    },
  });
  for (const piece of pieces) reader.append(piece);
  return open === undefined ? values : [...values, `${open}…`];
}

/** The string values in the order in which they are written. */
function stringsOf(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(stringsOf) : [];
}

test.each<[string, string[]]>([
  ['{"command":"rm -rf \\"a b\\"\\n","n":1}', ['rm -rf "a b"\n']],
  ['{"a":{"b":["x","y",{"c":"z"}],"d":"w"},"e":"v"}', ["x", "y", "z", "w", "v"]],
  ['["\\u00e9\\ud83d\\ude00\\/\\\\\\t"]', ["é😀/\\\t"]],
  ['{"a":"", "b" : "c"}', ["", "c"]],
  ['{"cut":"in the mid', ["in the mid…"]],
  ['{"cut":"at an \\u00', ["at an …"]],
  ['"alone"', ["alone"]],
  ['}]{"a":,"b":tru "c"]', ["c"]],
])("%s, cut at every place", (json, expected) => {
  for (let cut = 0; cut <= json.length; cut += 1) expect([cut, read(json.slice(0, cut), json.slice(cut))]).toEqual([cut, expected]);
});

test("SC-011 the string values of any JSON are those that a parser finds, in any pieces", () => {
  const pieces = (json: string, sizes: number[]) => {
    const result: string[] = [];
    for (let from = 0, index = 0; from < json.length; index += 1) {
      const size = sizes[index % sizes.length] as number;
      result.push(json.slice(from, from + size));
      from += size;
    }
    return result;
  };
  fc.assert(
    fc.property(fc.json(), fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }), fc.boolean(), (json, sizes, isIndented) => {
      const value: unknown = JSON.parse(json);
      const text = isIndented ? JSON.stringify(value, null, 2) : json;
      // Doubled names are read each time; a parser keeps the last.
      if (JSON.stringify(value) !== json) return;
      expect(read(...pieces(text, sizes)).toSorted()).toEqual(stringsOf(value).toSorted());
    }),
  );
});

test("SC-014 a megabyte of opening brackets, quotes or backslashes is read in linear time", async () => {
  for (const piece of ["[", '{"a":', '"', "\\", '"\\', '"\\u']) {
    await assertLinear(1_000_000, (length) => {
      const text = piece.repeat(length / piece.length);
      return () => read(text);
    });
  }
});
