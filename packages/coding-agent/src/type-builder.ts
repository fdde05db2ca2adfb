import { createRequire } from "node:module";
import type * as TypeBox from "@sinclair/typebox";

let loaded: typeof TypeBox.Type | undefined;

/** TypeBox is hundreds of files: a program that writes no schemas with it shall not read them. */
function load(): typeof TypeBox.Type {
  loaded ??= (createRequire(import.meta.url)("@sinclair/typebox") as typeof TypeBox).Type;
  return loaded;
}

/** TypeBox's builder of schemas, for parameters of tools. Loaded when it is used. */
export const Type: typeof TypeBox.Type = new Proxy({} as typeof TypeBox.Type, {
  get: (_, name) => Reflect.get(load(), name),
  has: (_, name) => name in load(),
  ownKeys: () => Reflect.ownKeys(load()),
  getOwnPropertyDescriptor: (_, name) => {
    const member = Reflect.getOwnPropertyDescriptor(load(), name);
    return member && { ...member, configurable: true };
  },
});
