import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { tables, withTables } from "../../../../scripts/reference/tables.ts";

const read = (name: string) => readFile(new URL(`../../../../docs/${name}`, import.meta.url), "utf8");

test.each(["rpc.md", "json.md"])("the reference tables of docs/%s are those of the protocol", async (name) => {
  const text = await read(name);
  expect(text, "run: node --conditions=pikit-source scripts/generate-reference.ts").toBe(withTables(text));
});

test("docs/rpc.md shows every table", async () => {
  const text = await read("rpc.md");
  expect(Object.keys(tables).filter((name) => !text.includes(`<!-- reference: ${name} -->`))).toEqual([]);
});

test("a marker that names no table is an error", () => {
  const document = "<!-- reference: birds -->\n<!-- end of reference -->\n";
  expect(() => withTables(document)).toThrow('No reference table "birds": there is commands,');
});
