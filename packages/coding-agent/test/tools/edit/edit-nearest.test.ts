import { describe, expect, test } from "vitest";
import { describeNearest } from "../../../src/tools/edit/nearest-text.ts";
import { Pacer } from "../../../src/tools/edit/pacer.ts";

function nearest(text: string, wanted: string): Promise<string | undefined> {
  return describeNearest(Buffer.from(text), wanted, "oldText", new Pacer(new AbortController().signal));
}

const program = `import a from "a";

function first(x) {
  return x;
}

function second(value, other) {
\tconst sum = value + other;
\treturn sum;
}
`;

describe("what is near a text that was not found", () => {
  test("lines that are the same, and the first that is not, so that blanks can be told apart", async () => {
    const wanted = "function second(value, other) {\n  const sum = value + other;\n  return sum;\n}\n";
    expect(await nearest(program, wanted)).toBe(
      'The nearest text is at lines 7-10. Where oldText has "  const sum = value + other;", ' +
        'the file has "\\tconst sum = value + other;" (line 8). Read lines 7-10 again and copy the text from there.',
    );
  });

  test("the place with most in common, not the first with something", async () => {
    const text = "start();\nrun(1);\n\nstart();\nrun(2);\nstop(2);\n";
    expect(await nearest(text, "start();\nrun(2);\nstop(3);")).toContain(
      'lines 4-6. Where oldText has "stop(3);", the file has "stop(2);" (line 6)',
    );
  });

  test("a misspelt line", async () => {
    expect(await nearest(program, "fucntion secnod(value, othr) {")).toContain("is at line 7.");
  });

  test("a misspelt part of a line", async () => {
    expect(await nearest(program, "const sum = value+other")).toContain("is at line 8.");
  });

  test("of a long line, what is around the difference", async () => {
    const line = `${"x".repeat(500)}abc${"y".repeat(500)}`;
    const text = (await nearest(`a\n${line}\n`, line.replace("abc", "abd"))) ?? "";
    expect(text).toContain(`x${"abd"}y`);
    expect(text).toContain(`x${"abc"}y`);
    expect(text.length).toBeLessThan(600);
  });

  test("a text that goes on beyond the file's end, or begins before its start", async () => {
    expect(await nearest("one two\nthree four\n", "three four\nfive six\n")).toContain(
      'oldText has "five six", the file ends before it',
    );
    expect(await nearest("three four\nfive six\n", "one two\nthree four\nfive 6\n")).toContain("lines 1-2. Where oldText has");
  });

  test("nothing is like it", async () => {
    expect(await nearest(program, "SELECT 1 WHERE NULL")).toBeUndefined();
    expect(await nearest("", "abc")).toBeUndefined();
    expect(await nearest(program, "\n\n\n")).toBeUndefined();
  });
});
