import { commands } from "../../packages/coding-agent/src/protocol/commands.ts";
import { DeltaUpdateSchema } from "../../packages/coding-agent/src/protocol/delta-schema.ts";
import {
  commandDescriptions,
  eventDescriptions,
  frameDescriptions,
} from "../../packages/coding-agent/src/protocol/descriptions.ts";
import type { CommandName } from "../../packages/coding-agent/src/protocol/dispatch.ts";
import { AssistantMessageEventSchema, type EventName, events } from "../../packages/coding-agent/src/protocol/events.ts";
import { incomingFrames, outgoingFrames } from "../../packages/coding-agent/src/protocol/frames.ts";
import { nameOf, namesOf, sharedTypes } from "../../packages/coding-agent/src/protocol/json-schema.ts";

type TSchema = Parameters<typeof nameOf>[0];

/** Fields that the heading of a table has told. */
const told = ["type"];

/**
 * The tables that the documentation has of the protocol, by name, as Markdown.
 *
 * @internal Exported for its tests.
 */
export const tables: Readonly<Record<string, () => string>> = {
  commands: () =>
    table(
      ["command", "effect", "fields", "data"],
      (Object.keys(commands) as CommandName[]).map((name) => [
        namesOf(name).map(code).join(", "),
        commandDescriptions[name],
        fieldsOf(commands[name].params),
        commands[name].data.type === "undefined" ? "" : typeCode(commands[name].data),
      ]),
    ),
  "frames-in": () => frameTable(incomingFrames),
  "frames-out": () => frameTable(outgoingFrames),
  events: () =>
    table(
      ["event", "when", "fields"],
      Object.entries(events).map(([name, schema]) => [code(name), eventDescriptions[name as EventName], fieldsOf(schema)]),
    ),
  steps: () => {
    const snapshots = new Map(variants(AssistantMessageEventSchema).map((step) => [constantOf(step, "type"), step]));
    const deltas = new Map(
      variants(DeltaUpdateSchema.properties.assistantMessageEvent).map((step) => [constantOf(step, "type"), step]),
    );
    return table(
      ["step", "fields in snapshots mode", "fields in deltas mode"],
      [...snapshots].map(([type, step]) => {
        const delta = deltas.get(type);
        return [code(type), fieldsOf(step), delta ? fieldsOf(delta) : "(not sent)"];
      }),
    );
  },
  types: () =>
    table(
      ["type", "definition"],
      [...sharedTypes].flatMap(([name, schema]) =>
        variants(schema).map((variant) => [code(name), isObject(variant) ? fieldsOf(variant, []) : typeCode(variant, name)]),
      ),
    ),
};

function frameTable(frames: Readonly<Record<string, TSchema>>): string {
  const rows = Object.entries(frames).flatMap(([name, schema]) =>
    variants(schema).map((variant, index) => [
      code(name),
      index === 0 ? frameDescriptions[name as keyof typeof frameDescriptions] : "",
      fieldsOf(variant),
    ]),
  );
  return table(["frame", "meaning", "fields"], rows);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`.replaceAll(/\| {2}(?=\|)/g, "| ");
  return [line(head), `|${head.map(() => "---|").join("")}`, ...rows.map(line)].join("\n");
}

/** A choice between objects as its options, anything else as itself. */
function variants(schema: TSchema): TSchema[] {
  const options = schema.anyOf as TSchema[] | undefined;
  return options?.every((option) => isObject(option) && nameOf(option) === undefined) ? options : [schema];
}

const isObject = (schema: TSchema): boolean => schema.type === "object" && schema.properties !== undefined;

const constantOf = (schema: TSchema, field: string): string =>
  (schema.properties as Record<string, TSchema>)[field]?.const as string;

function fieldsOf(schema: TSchema, without: readonly string[] = told): string {
  const fields = Object.entries(schema.properties as Record<string, TSchema>).filter(([name]) => !without.includes(name));
  return fields
    .map(([name, field]) => {
      const { description } = field as { description?: string };
      return code(fieldText(schema, name, field)) + (description === undefined ? "" : ` (${withoutStop(description)})`);
    })
    .join(", ");
}

function fieldText(schema: TSchema, name: string, field: TSchema): string {
  const mark = (schema.required as string[] | undefined)?.includes(name) ? "" : "?";
  return `${name}${mark}: ${typeText(field)}`;
}

const typeCode = (schema: TSchema, self?: string): string => code(typeText(schema, self));

/** A schema in the notation of TypeScript; shared types by name, except `self`. */
function typeText(schema: TSchema, self?: string): string {
  const name = nameOf(schema);
  if (name !== undefined && name !== self) return name;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.anyOf) return (schema.anyOf as TSchema[]).map((option) => typeText(option)).join(" | ");
  if (schema.allOf) return (schema.allOf as TSchema[]).map((part) => typeText(part)).join(" & ");
  if (schema.type === "array") {
    const item = typeText(schema.items as TSchema);
    return item.includes(" ") && !item.startsWith("{") ? `(${item})[]` : `${item}[]`;
  }
  if (isObject(schema)) {
    const fields = Object.entries(schema.properties as Record<string, TSchema>);
    return fields.length === 0 ? "{}" : `{${fields.map(([field, type]) => fieldText(schema, field, type)).join(", ")}}`;
  }
  return (schema.type as string | undefined) ?? "any";
}

const code = (text: string): string => `\`${text.replaceAll("|", "\\|")}\``;

function withoutStop(text: string): string {
  const plain = text.replace(/\.$/, "");
  return /^[A-Z][a-z]/.test(plain) ? plain[0]?.toLowerCase() + plain.slice(1) : plain;
}

/**
 * A document with the text between its markers replaced: `<!-- reference: commands -->` … `<!-- end of reference -->`.
 *
 * @throws {Error} When a marker names no table.
 */
export function withTables(document: string): string {
  return document.replace(/(<!-- reference: (.+?) -->\n).*?(<!-- end of reference -->)/gs, (_, start, name, end) => {
    const make = tables[name];
    if (!make) throw new Error(`No reference table "${name}": there is ${Object.keys(tables).join(", ")}.`);
    return `${start}\n${make()}\n\n${end}`;
  });
}
