import { build } from "esbuild";

/**
 * Packages that our code uses synchronously, but not before the first answer, and their classes. They use no state of ours, so each can be a
 * file by itself.
 */
const late = { "@streamparser/json": ["JSONParser"] };

/** @returns The name of the file in dist: `@scope/package` → `vendor/scope-package`. */
const fileOf = (name) => `vendor/${name.replace(/^@/, "").replaceAll("/", "-")}`;

/**
 * esbuild plugin for the command: a class of these packages is a stand-in, which loads the package with `require` when the first object is made.
 * `import()` would make the code that uses it asynchronous.
 *
 * @param standIn - Source of a function that makes a stand-in; see lazy-builtins.mjs.
 * @param wanted - filled with the packages that were imported → the folder that imports them.
 */
export const latePackages = (standIn, wanted) => ({
  name: "late-packages",
  setup(bundle) {
    bundle.onResolve({ filter: /^@streamparser\/json$/ }, ({ path, resolveDir }) => {
      wanted.set(path, resolveDir);
      return { path, namespace: "late-package" };
    });
    bundle.onLoad({ filter: /.*/, namespace: "late-package" }, ({ path }) => {
      const load = `process.getBuiltinModule("node:module").createRequire(import.meta.url)("../${fileOf(path)}.cjs")`;
      const lines = late[path].map((name) => `export const ${name} = /* @__PURE__ */ standIn(() => ${load}.${name});`);
      return { contents: [standIn, ...lines].join("\n") };
    });
  },
});

/**
 * Writes these packages to dist, as CommonJS.
 *
 * @param wanted - see `latePackages`.
 * @param options - for esbuild: what all bundles have in common.
 * @returns what was written, as esbuild's metafile tells it.
 */
export async function bundleLatePackages(wanted, options) {
  const outputs = {};
  for (const [name, resolveDir] of wanted) {
    const { metafile } = await build({
      ...options,
      stdin: { contents: `export { ${late[name].join(", ")} } from ${JSON.stringify(name)};`, resolveDir },
      outdir: undefined,
      outfile: `dist/${fileOf(name)}.cjs`,
      format: "cjs",
      splitting: false,
      minifyIdentifiers: true,
    });
    Object.assign(outputs, metafile.outputs);
  }
  return outputs;
}
