import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

/**
 * esbuild plugin: third-party modules that our own files import become files of their own in dist/vendor, so that the library and the
 * command share one copy, and so that nothing of them is read before it is needed.
 *
 * @param kept - packages that stay imports, or that are ours.
 * @param inlined - packages of which our files take in what they use, because a start needs it. Only who asks for one with `import()`
 *   gets all of it, as a file of its own.
 * @param shared - packages that our files and those of an inlined package import: there is one copy of each.
 * @param wanted - filled with the modules that were imported → the folder of the package that imports them.
 */
export const vendorModules = (kept, inlined, shared, wanted) => ({
  name: "vendor-modules",
  setup(bundle) {
    const isInlined = (file) => inlined.some((name) => file.includes(`/node_modules/${name}/`));
    // After lazy-builtins, which has taken the modules of Node.
    bundle.onResolve({ filter: /^[a-z@]/ }, ({ path, importer, kind, resolveDir }) => {
      if (kind === "entry-point" || importer === "" || isOf(kept, path)) return undefined;
      // What a package imports is bundled with it, unless our files import it too.
      if (importer.includes("node_modules") && !(isInlined(importer) && shared.includes(path))) return undefined;
      if (isOf(inlined, path) && kind !== "dynamic-import") return undefined;
      if (importer.includes("node_modules")) return { path: `#vendor/${fileName(path)}`, external: true };
      const folder = resolveDir.replace(/\/src(\/.*)?$/, "");
      if (folder === process.cwd() || !wanted.has(path)) wanted.set(path, folder);
      return { path: `#vendor/${fileName(path)}`, external: true };
    });
  },
});

/** Whether a module is of one of these packages. */
const isOf = (packages, path) => packages.some((name) => path === name || path.startsWith(`${name}/`));

/** `@scope/package/sub.js` → `scope-package-sub`. */
const fileName = (path) =>
  path
    .replace(/^@/, "")
    .replace(/\.js$/, "")
    .replaceAll(/[^\w-]/g, "-");

/**
 * The modules that this package has to ship. What the code of our other packages imports, they ship: the command takes it from there.
 *
 * @param wanted - see `vendorModules`.
 * @param imports - `imports` of package.json.
 * @throws {Error} When `imports` does not say where a module of another package is.
 */
export function ownModules(wanted, imports) {
  return [...wanted].flatMap(([path, folder]) => {
    if (folder === process.cwd()) return [path];
    const { name } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const specifier = `#vendor/${fileName(path)}`;
    const target = `${name}/vendor/${fileName(path)}`;
    if (imports[specifier] !== target) throw new Error(`"imports" of package.json must have "${specifier}": "${target}"`);
    return [];
  });
}

/**
 * Writes dist/vendor/<name>.js for each module; what they share goes into chunks.
 *
 * @param modules - as they are imported, such as `highlight.js/lib/common`.
 * @param options - for esbuild: what all bundles have in common.
 * @returns what was written, as esbuild's metafile tells it.
 */
export async function bundleVendor(modules, options) {
  const plugin = {
    name: "vendor-entries",
    setup(bundle) {
      bundle.onResolve({ filter: /^vendor:/ }, ({ path }) => ({ path: path.slice("vendor:".length), namespace: "vendor" }));
      bundle.onLoad({ filter: /.*/, namespace: "vendor" }, ({ path }) => ({
        contents: `export { ${exportedNames(path).join(", ")} } from ${JSON.stringify(path)};`,
        resolveDir: process.cwd(),
      }));
    },
  };
  const { metafile } = await build({
    ...options,
    entryPoints: modules.toSorted().map((path) => ({ in: `vendor:${path}`, out: `vendor/${fileName(path)}` })),
    chunkNames: "vendor/[name]-[hash]",
    plugins: [...options.plugins, plugin],
    // Half the size. Names of classes and functions stay, since errors are printed with them.
    minifyIdentifiers: true,
    keepNames: true,
    sourcemap: false,
  });
  return metafile.outputs;
}

/** What a module exports. Asked of Node, since the exports of CommonJS are known only when it has run. */
function exportedNames(path) {
  const program = `console.log(JSON.stringify(Object.keys(await import(${JSON.stringify(path)}))))`;
  const names = JSON.parse(execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" }));
  return names.filter((name) => /^[\w$]+$/.test(name));
}
