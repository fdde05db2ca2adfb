import type { McpTool } from "./connection.ts";

/** Maximum characters of a description; each request contains all descriptions. */
const maxDescriptionLength = 8000;

/** Reads the tools in a server's list. Invalid tools are skipped, so that one error does not affect the others. */
export function readTools(list: readonly unknown[]): McpTool[] {
  const tools = list.flatMap((value) => {
    const tool = toTool(value);
    return tool ? [tool] : [];
  });
  // Of several tools with the same name, the first counts.
  return tools.filter(({ name }, index) => tools.findIndex((other) => other.name === name) === index);
}

function toTool(value: unknown): McpTool | undefined {
  if (!isRecord(value)) return undefined;
  const { name, title, description, inputSchema = {}, annotations, execution } = value;
  if (typeof name !== "string" || name === "" || !isRecord(inputSchema)) return undefined;
  // Such a tool can only be called as a task, which is not supported.
  if (isRecord(execution) && execution.taskSupport === "required") return undefined;
  const hints = isRecord(annotations) ? annotations : {};
  const text = textOf(description) ?? textOf(title) ?? name;
  return {
    name,
    title: textOf(title) ?? textOf(hints.title),
    description: text.length > maxDescriptionLength ? `${text.slice(0, maxDescriptionLength)}…` : text,
    inputSchema: toObjectSchema(inputSchema),
    isReadOnly: hints.readOnlyHint === true,
  };
}

/** Adds `properties`, which providers require, and removes `$schema`, which some refuse. */
function toObjectSchema({ $schema: _dialect, ...schema }: Record<string, unknown>): Record<string, unknown> {
  return { ...schema, type: "object", properties: isRecord(schema.properties) ? schema.properties : {} };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
