import type { McpTool } from "./connection.ts";

/** Characters of a description; every request carries all of them. */
const maxDescriptionLength = 8000;

/** The tools of a server's list. What is no tool is passed over, so that one fault does not cost all of them. */
export function readTools(list: readonly unknown[]): McpTool[] {
  const tools = list.flatMap((value) => {
    const tool = toTool(value);
    return tool ? [tool] : [];
  });
  // The first of those with one name, as servers look them up.
  return tools.filter(({ name }, index) => tools.findIndex((other) => other.name === name) === index);
}

function toTool(value: unknown): McpTool | undefined {
  if (!isRecord(value)) return undefined;
  const { name, title, description, inputSchema = {}, annotations, execution } = value;
  if (typeof name !== "string" || name === "" || !isRecord(inputSchema)) return undefined;
  // Such a tool is called in another way, as a task.
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

/** Providers ask for `properties`, and some refuse `$schema`. */
function toObjectSchema({ $schema: _dialect, ...schema }: Record<string, unknown>): Record<string, unknown> {
  return { ...schema, type: "object", properties: isRecord(schema.properties) ? schema.properties : {} };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
