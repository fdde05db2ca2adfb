// Run in the package's folder between tsc and the bundler. Replaces, in dist/protocol-types.d.ts, each type that is computed from a schema
// by what it computes to: the published declarations then need neither the agent nor TypeBox, and a reader sees fields in the place of
// `TObject<{…}>`. The names, and what is exported, stay those of src/protocol-types.ts.
import { readFileSync, writeFileSync } from "node:fs";

const protocol = await import("@pikit/coding-agent/protocol");
const path = "dist/protocol-types.d.ts";
const schemaType = /\(typeof (\w+)\)\["static"\]/;
const source = readFileSync(path, "utf8");
/** Names of types by what their schema looks like: a schema that is optional somewhere is another object. */
const names = new Map(
  [...source.matchAll(new RegExp(`export type (\\w+) = ${schemaType.source};`, "g"))].map(([, name, schema]) => [
    JSON.stringify(protocol[schema]),
    name,
  ]),
);

const table = (rows) => `{\n${rows.map(([key, type]) => `  ${key}: ${type};\n`).join("")}}`;
const commands = Object.entries(protocol.commands).map(([name, { params, data }]) => [
  name,
  table([
    ["params", write(params)],
    ["data", write(data)],
  ]),
]);
const events = Object.entries(protocol.events).map(([name, schema]) => [name, write(schema)]);
const written = source
  .replace(/^import [^;]*;\n/m, "")
  .replace(/^type Commands = [\s\S]*?^};/m, `type Commands = ${table(commands)};`)
  .replace(/^type Events = [\s\S]*?^};/m, `type Events = ${table(events)};`)
  .replace(new RegExp(schemaType, "g"), (_, schema) => writeFields(protocol[schema]));
if (/typeof|import/.test(written)) throw new Error(`${path} still depends on values: rewrite what this script did not recognise.`);
writeFileSync(path, written);

function write(schema) {
  // A recursive type refers to itself by its id, which is its name.
  return schema.$ref ?? schema.$id ?? names.get(JSON.stringify(schema)) ?? writeFields(schema);
}

function writeFields(schema) {
  if (schema.allOf) return schema.allOf.map((part) => `(${write(part)})`).join(" & ");
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return schema.anyOf.map(write).join(" | ");
  if (schema.patternProperties) return `Record<string, ${write(Object.values(schema.patternProperties)[0])}>`;
  switch (schema.type) {
    case "string":
    case "number":
    case "integer":
    case "boolean":
    case "null":
    case "undefined":
      return schema.type === "integer" ? "number" : schema.type;
    case "array":
      return `(${write(schema.items)})[]`;
    case "object":
      return writeObject(schema);
    case undefined:
      return "unknown";
  }
  throw new Error(`Cannot write a schema of type ${schema.type}: teach scripts/write-out-types.mjs to.`);
}

function writeObject({ properties, required = [] }) {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const comment = schema.description ? `/** ${schema.description} */\n` : "";
    return [`${comment}${name}${required.includes(name) ? "" : "?"}`, write(schema)];
  });
  return fields.length === 0 ? "{}" : table(fields);
}
