import { builtinModules } from "node:module";

const names = builtinModules.filter((name) => !name.startsWith("_"));
const filter = new RegExp(`^(node:.+|${names.join("|")})$`);

/**
 * esbuild plugin: a built-in module that is imported is loaded when one of its members is first used, so that a start pays only for
 * what it needs (a static import runs all getters of the module: node:http loads the whole of fetch, 30 ms; node:crypto takes 5 ms).
 * Bundled CommonJS gets the module itself from `require`.
 */
export const lazyBuiltins = {
  name: "lazy-builtins",
  setup(build) {
    build.onResolve({ filter }, ({ path, importer, kind }) => {
      const name = path.replace(/^(node:)?/, "node:");
      // The first file of the CLI says which Node it needs, also on those that have no getBuiltinModule.
      if (importer.endsWith("/src/cli.ts")) return { path: name, external: true };
      return { path: name, namespace: kind === "import-statement" && hasMembersOnly(name) ? "lazy-builtin" : "builtin" };
    });
    build.onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({ contents: `module.exports = ${get(path)}` }));
    build.onLoad({ filter: /.*/, namespace: "lazy-builtin" }, ({ path }) => ({
      contents: `let found;
        for (const name of ${JSON.stringify(Object.getOwnPropertyNames(process.getBuiltinModule(path)))}) {
          Object.defineProperty(exports, name, { enumerable: true, get: () => (found ??= ${get(path)})[name] });
        }`,
    }));
  },
};

const get = (path) => `process.getBuiltinModule(${JSON.stringify(path)})`;

/** Not so for modules that are a class or function themselves (node:events), nor for node:process, whose methods need their `this`. */
function hasMembersOnly(path) {
  return typeof process.getBuiltinModule(path) === "object" && path !== "node:process";
}
