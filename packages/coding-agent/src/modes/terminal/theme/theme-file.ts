import type { ThemeColors } from "../../../theme/colors.ts";

/** A theme of a file: the colours without variables. */
export interface ThemeFile {
  name: string;
  /** Where it is from; undefined for built-in themes. */
  path: string | undefined;
  /** Colours of texts and backgrounds, by name. */
  colors: ThemeColors;
}

/** Variables may name others; more steps than this are a circle. */
const maxSteps = 20;

/**
 * Reads the content of a theme file: `name`, `colors` by their names, and `vars` that colours may name.
 *
 * @throws {Error} When something is missing or not valid; the message says what, without the path.
 */
export function readThemeFile(content: unknown, path: string | undefined): ThemeFile {
  const { name, vars = {}, colors } = toRecord(content);
  if (typeof name !== "string" || name.trim() === "" || name.includes("/"))
    throw new Error(`Expected a "name" without "/", but it is ${quote(name)}.`);
  if (typeof colors !== "object" || colors === null) throw new Error(`Expected "colors", an object, but it is ${quote(colors)}.`);
  const variables = toRecord(vars);
  const resolved = Object.entries(colors).map(([key, value]) => [key, resolve(key, value, variables)] as const);
  return { name, path, colors: Object.fromEntries(resolved) };
}

/** The colour that a value means: itself, or that of the variable that it names. */
function resolve(key: string, value: unknown, vars: Readonly<Record<string, unknown>>): string | number {
  let color = value;
  for (let step = 0; step < maxSteps; step++) {
    if (typeof color === "number" && Number.isInteger(color) && color >= 0 && color <= 255) return color;
    if (typeof color !== "string")
      throw new Error(`The colour "${key}" is ${quote(color)}. Expected #rrggbb, 0 to 255, "" or a variable.`);
    if (color === "" || color.startsWith("#")) return color;
    if (!Object.hasOwn(vars, color))
      throw new Error(`The colour "${key}" names the variable ${quote(color)}, which "vars" does not have.`);
    color = vars[color];
  }
  throw new Error(`The variables of the colour "${key}" name each other in a circle.`);
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function quote(value: unknown): string {
  const text = JSON.stringify(value) ?? "missing";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
