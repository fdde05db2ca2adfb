import { expect, test } from "vitest";
import { parseFrontMatter, textField } from "../../src/prompt/front-matter.ts";

async function parse(text: string): Promise<[fields: object, body: string]> {
  const { fields, body } = await parseFrontMatter(text);
  return [Object.fromEntries(fields), body];
}

test.each([
  ["no front matter", "# Title\n---\nname: x\n---\n", {}, "# Title\n---\nname: x\n---\n"],
  ["nothing at all", "", {}, ""],
  ["values that are texts, whatever they look like", "---\nname: 12\non: true\n---\nbody\n", { name: "12", on: "true" }, "body\n"],
  ["a byte order mark and CRLF", "\uFEFF---\r\nname: a\r\n---\r\nbody\r\n", { name: "a" }, "body\r\n"],
  ["texts over several lines", "---\ndescription: >\n  one\n  two\n---\nx", { description: "one two\n" }, "x"],
  ["front matter without fields", "---\n---\nx", {}, "x"],
  [
    "colons in a text that is not quoted",
    '---\nname: "a"\ndescription: Use when: the user says so\n\n# note\n---\nx',
    { name: "a", description: "Use when: the user says so" },
    "x",
  ],
])("a file with %s", async (_name, text, fields, body) => {
  expect(await parse(text)).toEqual([fields, body]);
});

test.each([
  ["---\nname: a\nlist: [1\n  - x: y: z\n---\n", /^line \d of its front matter is not YAML \([A-Z_]+\)$/],
  ["---\n- a\n- b\n---\n", "its front matter must be a list of `name: value`"],
  ["---\na: &x [1]\nb: *x\n---\n", "its front matter has YAML references, which are not followed"],
])("front matter that cannot be read is an error with the reason: %j", async (text, reason) => {
  await expect(parse(text)).rejects.toThrow(reason);
});

test("a field is a text that is not empty", async () => {
  const file = await parseFrontMatter("---\na: ' x '\nb: ' '\nc: [1]\n---\n");
  expect(["a", "b", "c", "d"].map((name) => textField(file, name))).toEqual(["x", undefined, undefined, undefined]);
});
