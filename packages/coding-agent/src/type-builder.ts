import { createRequire } from "node:module";
import type * as TypeBox from "@sinclair/typebox";

let loaded: typeof TypeBox.Type | undefined;

/** Loads TypeBox, which has hundreds of files, only if a program uses it to write schemas. */
function load(): typeof TypeBox.Type {
  loaded ??= (createRequire(import.meta.url)("@sinclair/typebox") as typeof TypeBox).Type;
  return loaded;
}

/** TypeBox's schema builder, for the parameters of tools. TypeBox is loaded on first use. */
export const Type: typeof TypeBox.Type = new Proxy({} as typeof TypeBox.Type, {
  get: (_, name) => Reflect.get(load(), name),
  has: (_, name) => name in load(),
  ownKeys: () => Reflect.ownKeys(load()),
  getOwnPropertyDescriptor: (_, name) => {
    const member = Reflect.getOwnPropertyDescriptor(load(), name);
    return member && { ...member, configurable: true };
  },
});
