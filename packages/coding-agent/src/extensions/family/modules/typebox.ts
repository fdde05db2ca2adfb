import { createRequire } from "node:module";
import { loadSchemaCheck } from "@pikit/agent";
import type { TSchema } from "@sinclair/typebox";

const load = createRequire(import.meta.url);

/** The parts of TypeBox by the names of both its packages: `@sinclair/typebox`, and `typebox` for version 1. */
const parts: Readonly<Record<string, () => object | Promise<object>>> = {
  type: loadBuilder,
  value: async () => createValueModule(await import("@sinclair/typebox/value"), await loadSchemaCheck()),
  // Rarely used: read from the installed package, because a copy of our own would be large.
  compiler: () => load("@sinclair/typebox/compiler"),
  compile: async () => createCompileModule(load("@sinclair/typebox/compiler"), await loadSchemaCheck()),
  errors: () => load("@sinclair/typebox/errors"),
  system: () => load("@sinclair/typebox/system"),
};

/**
 * Loads TypeBox, or a part of it such as `value`.
 *
 * @throws {Error} When there is no such part.
 */
export async function loadTypebox(part?: string): Promise<object> {
  if (part === undefined) return loadBuilder();
  const loadPart = Object.hasOwn(parts, part) ? parts[part] : undefined;
  if (!loadPart)
    throw new Error(`This pi has no module typebox/${part}. It has typebox and its modules ${Object.keys(parts).join(", ")}.`);
  return loadPart();
}

async function loadBuilder(): Promise<object> {
  return withDefault(await import("@sinclair/typebox"), "Type");
}

/** The default export of version 1 is the main thing of a module. */
function withDefault(loaded: object, name: string): object {
  return { ...loaded, default: Reflect.get(loaded, name) };
}

/** A problem of a value. */
interface Problem {
  message: string;
  /** The place in the value, such as `/name`; empty for the value itself. */
  path: string;
}

type SchemaCheck = Awaited<ReturnType<typeof loadSchemaCheck>>;
type ValueModule = typeof import("@sinclair/typebox/value");

/** The part `value` for both versions: version 1 takes plain JSON Schema too, and its errors are a list with places; those of version 0 have `First`. */
function createValueModule(module: ValueModule, check: SchemaCheck): object {
  const Errors = (schema: TSchema, value: unknown) => {
    const problems = findProblems(() => [...module.Value.Errors(schema, value)], schema, value, check);
    const errors = problems.map((problem) => ({ keyword: "", schemaPath: "", params: {}, ...problem, instancePath: problem.path }));
    return Object.assign(errors, { First: () => errors[0] });
  };
  const Check = (schema: TSchema, value: unknown) => Errors(schema, value).length === 0;
  const Value = { ...module.Value, Check, Errors };
  return { ...module, Check, Errors, Value, default: Value };
}

/** The problems that `find` finds; if it does not know the schema, those that the check of plain JSON Schemas finds. */
function findProblems(find: () => Problem[], schema: TSchema, value: unknown, check: SchemaCheck): Problem[] {
  try {
    return find();
  } catch {
    return check(schema, value).map(toProblem);
  }
}

/** `typebox/compile` of version 1 over the compiler of version 0, and over a check of plain JSON Schemas, which only version 1 accepts. */
function createCompileModule(compiler: typeof import("@sinclair/typebox/compiler"), check: SchemaCheck): object {
  const Compile = (schema: TSchema) => {
    const compiled = tryCompile(compiler, schema);
    const findProblems = (value: unknown): Problem[] =>
      compiled ? [...compiled.Errors(value)] : check(schema, value).map(toProblem);
    return {
      Check: (value: unknown) => (compiled ? compiled.Check(value) : check(schema, value).length === 0),
      Errors: findProblems,
      Code: () => compiled?.Code() ?? "",
      Parse(value: unknown): unknown {
        const [problem] = findProblems(value);
        if (problem) throw new TypeError(`The value does not match its schema: ${problem.message} at ${problem.path || "/"}.`);
        return value;
      },
      Decode: (value: unknown): unknown => (compiled ? compiled.Decode(value) : value),
      Encode: (value: unknown): unknown => (compiled ? compiled.Encode(value) : value),
    };
  };
  return { Compile, default: Compile };
}

/** Undefined for a schema with parts that TypeBox has not made, such as those of `Type.Unsafe`. */
function tryCompile({ TypeCompiler }: typeof import("@sinclair/typebox/compiler"), schema: TSchema) {
  try {
    return TypeCompiler.Compile(schema);
  } catch {
    return undefined;
  }
}

/** @param text - `path: message`. */
function toProblem(text: string): Problem {
  const end = text.indexOf(": ");
  return { path: text.slice(0, end).replace(/^\/$/, ""), message: text.slice(end + 2) };
}
