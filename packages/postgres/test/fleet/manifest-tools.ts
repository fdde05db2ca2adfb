import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/** The workspace with the schemas, which only tests install. */
export const toolsFolder: string = fileURLToPath(new URL("../../../../tools/manifests/", import.meta.url));

/** Loads a package of that workspace. It is not a dependency of this package, so its types are not known here. */
export const requireTool: (name: string) => unknown = createRequire(`${toolsFolder}package.json`);

/** A mapping of a YAML file. */
export type Mapping = Readonly<Record<string, unknown>>;

/** The documents of a YAML file, which must be mappings. Keys `<<` are merged. */
export function parseYaml(text: string): Mapping[] {
  const { parseAllDocuments } = requireTool("yaml") as {
    parseAllDocuments(text: string, options: object): { errors: Error[]; toJS(): unknown }[];
  };
  return parseAllDocuments(text, { merge: true }).map((document) => {
    const [error] = document.errors;
    if (error) throw error;
    return document.toJS() as Mapping;
  });
}

/** The values of a field at any depth: `valuesOf(pod, "secretKeyRef")`. */
export function valuesOf(value: unknown, field: string): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [...(key === field ? [inner] : []), ...valuesOf(inner, field)]);
}

/** A value as a mapping; an empty one if it is none. */
export function asMapping(value: unknown): Mapping {
  return typeof value === "object" && value !== null ? (value as Mapping) : {};
}

/** A value as a list; an empty one if it is none. */
export function asList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
