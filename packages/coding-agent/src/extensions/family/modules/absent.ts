import { UsageError } from "../../../errors.ts";

/**
 * Stand-ins for functions and classes that we do not have. A stand-in can be imported, extended and passed on; it throws when it is called or
 * created.
 *
 * @param module - The name of the module, for the error.
 * @param names - The names that it exports, separated by blanks.
 */
export function absentNames(module: string, names: string): Record<string, unknown> {
  const list = names.split(/\s+/).filter((name) => name !== "");
  return Object.fromEntries(list.map((name) => [name, absent(`${name} of ${module}`)]));
}

/**
 * One stand-in, see `absentNames`. Its members are functions that throw, too.
 *
 * @param what - The subject of the error, such as `main of @mariozechner/pi-coding-agent`.
 */
function absent(what: string): unknown {
  // Not an arrow function, because classes extend it.
  function standIn(): never {
    throw new UsageError(
      "invalid_arguments",
      `This pi does not have ${what}: an extension called it. Use another version of the extension, or do without it.`,
    );
  }
  return new Proxy(standIn, {
    get: (target, name) => (typeof name === "symbol" || name === "then" || name in target ? Reflect.get(target, name) : standIn),
  });
}
