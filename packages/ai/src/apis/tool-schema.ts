import { removeLoneSurrogatesDeep } from "../surrogates.ts";
import type { Tool } from "../types.ts";

/** A JSON Schema with a root that every vendor accepts: an object with properties and without alternatives. */
export interface ObjectSchema {
  type: "object";
  properties: Record<string, unknown>;
  required?: string[];
  [keyword: string]: unknown;
}

/**
 * Converts a tool's parameters to such a schema. Branches of the root (`anyOf`, `oneOf`, `allOf`) are merged into one object: it has the
 * properties of all branches, and requires a property of `anyOf` or `oneOf` only if every branch does. The result accepts more than the
 * original; arguments are validated against the original anyway.
 */
export function toObjectSchema({ parameters }: Tool): ObjectSchema {
  return mergeRoot(removeLoneSurrogatesDeep(parameters));
}

function mergeRoot(schema: unknown): ObjectSchema {
  const { anyOf, oneOf, allOf, properties, required, ...rest } = asRecord(schema);
  const own = asRecord(properties);
  const all = asBranches(allOf);
  const choices = [asBranches(anyOf), asBranches(oneOf)].filter((branches) => branches.length > 0);
  const merged: Record<string, unknown> = {};
  for (const branch of [...all, ...choices.flat()]) addProperties(merged, branch.properties);
  const names = new Set([...asNames(required), ...all.flatMap((branch) => branch.required ?? [])]);
  for (const branches of choices) for (const name of requiredByAll(branches)) names.add(name);
  return {
    ...rest,
    type: "object",
    properties: { ...merged, ...own },
    ...((required !== undefined || names.size > 0) && { required: [...names] }),
  };
}

/** A property with different schemas in two branches gets `anyOf` of both. */
function addProperties(merged: Record<string, unknown>, properties: Record<string, unknown>): void {
  for (const [name, schema] of Object.entries(properties)) {
    const known = Object.hasOwn(merged, name) ? merged[name] : undefined;
    const isNew = known !== undefined && JSON.stringify(known) !== JSON.stringify(schema);
    const value = isNew ? { anyOf: [known, schema] } : schema;
    Object.defineProperty(merged, name, { value, writable: true, enumerable: true, configurable: true });
  }
}

function requiredByAll(branches: readonly ObjectSchema[]): string[] {
  const [first, ...others] = branches.map((branch) => branch.required ?? []);
  return (first ?? []).filter((name) => others.every((names) => names.includes(name)));
}

function asBranches(value: unknown): ObjectSchema[] {
  return Array.isArray(value) ? value.map(mergeRoot) : [];
}

function asRecord(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function asNames(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((name) => typeof name === "string") : [];
}
