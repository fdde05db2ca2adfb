import fc from "fast-check";

const surrogates = { first: 0xd800, count: 0x800 };

/**
 * Any character, as an alternative to `unit: "binary"` of fast-check, which makes the same characters and first builds a table of all 1.1 million of
 * them: a second of CPU time in each process.
 */
export const anyCharacter: fc.Arbitrary<string> = fc.nat({ max: 0x10_ffff - surrogates.count }).map(
  (index) => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count),
  (value) => {
    const codePoint = typeof value === "string" ? value.codePointAt(0) : undefined;
    if (codePoint === undefined || String.fromCodePoint(codePoint) !== value) throw new Error("This is not one character.");
    if (codePoint >= surrogates.first && codePoint < surrogates.first + surrogates.count)
      throw new Error("This is half a character.");
    return codePoint < surrogates.first ? codePoint : codePoint - surrogates.count;
  },
);
