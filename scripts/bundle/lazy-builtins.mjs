import { builtinModules } from "node:module";

const names = builtinModules.filter((name) => !name.startsWith("_"));
const filter = new RegExp(`^(node:.+|${names.join("|")})$`);

/**
 * esbuild plugin: a built-in module is fetched with `process.getBuiltinModule` instead of imported. A static import of one reads all
 * its getters (node:http loads the whole of fetch: 30 ms). Also serves `require("https")` in bundled CommonJS.
 */
export const lazyBuiltins = {
  name: "lazy-builtins",
  setup(build) {
    build.onResolve({ filter }, ({ path, importer }) => {
      const name = path.replace(/^(node:)?/, "node:");
      // The first file of the CLI says which Node it needs, also on those that have no getBuiltinModule.
      if (importer.endsWith("/src/cli.ts")) return { path: name, external: true };
      return { path: name, namespace: "builtin" };
    });
    build.onLoad({ filter: /.*/, namespace: "builtin" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
    }));
  },
};
