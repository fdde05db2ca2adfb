import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { TSchema } from "@sinclair/typebox";
import { expect, test } from "vitest";
import { findJsonSchemaProblems } from "../../../../agent/src/json-schema.ts";
import { agentChatSchema, events, requests } from "../../../src/modes/agent-chat/protocol.ts";

const page = fileURLToPath(new URL("../../../../../docs/agent-chat.md", import.meta.url));
const golden = new URL("./golden/", import.meta.url);

/** A line for each field, those of objects within behind their path. */
function fieldRows(schema: TSchema, path = ""): string[] {
  const required = new Set<string>(schema.required ?? []);
  return Object.entries(schema.properties as Record<string, TSchema>).flatMap(([name, field]) => {
    const mark = required.has(name) ? "" : "?";
    const row = `| \`${path}${name}${mark}\` | ${typeOf(field)} | ${field.description ?? ""} |`;
    const inner = field.type === "array" ? (field.items as TSchema) : field;
    return [row, ...(inner.type === "object" ? fieldRows(inner, `${path}${name}${field.type === "array" ? "[]" : ""}.`) : [])];
  });
}

function typeOf(schema: TSchema): string {
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (Array.isArray(schema.anyOf)) return schema.anyOf.map(typeOf).join(", ");
  const { type, maxItems, maxLength } = schema;
  if (type === "array") return `${typeOf(schema.items as TSchema)}[]${maxItems === undefined ? "" : `, at most ${maxItems}`}`;
  return maxLength === undefined ? String(type) : `${type}, at most ${maxLength} characters`;
}

function section(title: string, holder: string, table: Record<string, TSchema>): string {
  const parts = Object.entries(table).map(([name, schema]) => {
    const rows = fieldRows(schema);
    const fields = rows.length === 0 ? `No ${holder}.` : `| ${holder} | type | |\n|---|---|---|\n${rows.join("\n")}`;
    return `#### \`${name}\`\n\n${schema.description}\n\n${fields}\n`;
  });
  return `### ${title}\n\n${parts.join("\n")}`;
}

test("the reference in docs/agent-chat.md is what the protocol says", async () => {
  const text = await readFile(page, "utf8");
  const end = text.indexOf("-->\n", text.indexOf("<!-- The rest is made from")) + "-->\n".length;
  const reference = [section("Requests", "params", requests), section("Events", "data", events)].join("\n");
  await expect(`${text.slice(0, end)}\n${reference}`).toMatchFileSnapshot(page);
});

test("the JSON Schema is plain JSON and names every request and event with its description", () => {
  const schema = agentChatSchema();
  expect(JSON.parse(JSON.stringify(schema))).toEqual(schema);
  const { request, event } = schema.$defs as { request: TSchema; event: TSchema };
  const named = (lines: TSchema[], key: string) => lines.map(({ properties, description }) => [properties[key].const, description]);
  const table = (source: Record<string, TSchema>) => Object.entries(source).map(([name, { description }]) => [name, description]);
  expect(named(request.anyOf, "method")).toEqual(table(requests));
  expect(named(event.anyOf, "event")).toEqual(table(events));
});

test("every line of the golden transcripts is one of the schema, and so is each request of the page", async () => {
  const { request, event } = agentChatSchema().$defs as { request: TSchema; event: TSchema };
  const isLine = (schema: TSchema, line: string) => findJsonSchemaProblems(schema, JSON.parse(line)).length === 0;
  const texts = await Promise.all((await readdir(golden)).map((name) => readFile(new URL(name, golden), "utf8")));
  const lines = texts
    .join("")
    .replace(/<ms>|<port>/g, "1")
    .split("\n");
  for (const line of lines.filter((each) => each.startsWith("→ "))) expect(isLine(request, line.slice(2)), line).toBe(true);
  for (const line of lines.filter((each) => each.startsWith("← "))) expect(isLine(event, line.slice(2)), line).toBe(true);
  expect(isLine(event, '{"event":"done","data":{}}')).toBe(false);
  expect(isLine(request, '{"method":"agent_chat","params":{"message":"","config":{"model":null},"images":null}}')).toBe(true);
  expect(isLine(request, '{"method":"agent_chat","params":{"message":null}}')).toBe(false);
  const shown = (await readFile(page, "utf8")).match(/^→ .*$/gm) ?? [];
  for (const line of shown) expect(isLine(request, line.slice(2)), line).toBe(true);
});
