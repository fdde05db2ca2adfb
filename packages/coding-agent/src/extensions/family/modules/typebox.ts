import { createRequire } from "node:module";
import type { TSchema } from "@sinclair/typebox";

const load = createRequire(import.meta.url);

/** The parts of TypeBox by the names of both its packages: `@sinclair/typebox`, and `typebox` for version 1. */
const parts: Readonly<Record<string, () => object | Promise<object>>> = {
  type: loadBuilder,
  value: async () => withDefault(await import("@sinclair/typebox/value"), "Value"),
  // Rarely used: read from the installed package, because a copy of our own would be large.
  compiler: () => load("@sinclair/typebox/compiler"),
  compile: () => createCompileModule(load("@sinclair/typebox/compiler")),
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

/** `typebox/compile` of version 1 over the compiler of version 0. */
function createCompileModule({ TypeCompiler }: typeof import("@sinclair/typebox/compiler")): object {
  const Compile = (schema: TSchema) => {
    const compiled = TypeCompiler.Compile(schema);
    return {
      Check: (value: unknown) => compiled.Check(value),
      Errors: (value: unknown) => [...compiled.Errors(value)],
      Code: () => compiled.Code(),
      Parse(value: unknown): unknown {
        const [error] = compiled.Errors(value);
        if (error) throw new TypeError(`The value does not match its schema: ${error.message} at ${error.path || "/"}.`);
        return value;
      },
      Decode: (value: unknown): unknown => compiled.Decode(value),
      Encode: (value: unknown): unknown => compiled.Encode(value),
    };
  };
  return { Compile, default: Compile };
}
