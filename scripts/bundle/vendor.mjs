import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "esbuild";

/**
 * esbuild plugin: third-party modules that our own files import become files of their own in dist/vendor, so that the library and the
 * command share one copy, and so that nothing of them is read before it is needed.
 *
 * @param packages - `kept`: those that stay imports, or that are ours. `inlined`: those of which our files take in what they use, because a
 *   start needs it; only who asks for one with `import()` gets all of it, as a file of its own. `grouped`: those whose modules, imported by
 *   their paths, are one file together; the whole package is another file, and what both have is there once.
 * @param wanted - filled with the modules that were imported → the folder of the package that imports them, and the modules of a group.
 */
export const vendorModules = ({ kept, inlined, grouped }, wanted) => ({
  name: "vendor-modules",
  setup(bundle) {
    // After lazy-builtins, which has taken the modules of Node.
    bundle.onResolve({ filter: /^[a-z@]/ }, ({ path, importer, kind, resolveDir }) => {
      if (kind === "entry-point" || importer === "" || isOf(kept, path)) return undefined;
      // What a package imports is bundled with it.
      if (importer.includes("node_modules")) return undefined;
      if (isOf(inlined, path) && kind !== "dynamic-import") return undefined;
      const group = kind === "dynamic-import" ? undefined : grouped.find((name) => path.startsWith(`${name}/`));
      const module = group === undefined ? path : `${group}/${groupName}`;
      const folder = resolveDir.replace(/\/src(\/.*)?$/, "");
      const known = wanted.get(module);
      const parts = group === undefined ? [] : [...new Set([...(known?.parts ?? []), path])];
      wanted.set(module, { folder: known && folder !== process.cwd() ? known.folder : folder, parts });
      return { path: `#vendor/${fileName(module)}`, external: true };
    });
  },
});

/** The name of the file of a group, after that of its package. */
const groupName = "parts";

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
  return [...wanted].flatMap(([path, { folder, parts }]) => {
    if (folder === process.cwd()) return [{ path, parts }];
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
 * @param modules - `path`: as they are imported, such as `highlight.js/lib/common`; `parts`: the modules of a group.
 * @param options - for esbuild: what all bundles have in common.
 * @returns what was written, as esbuild's metafile tells it.
 */
export async function bundleVendor(modules, options) {
  const plugin = {
    name: "vendor-entries",
    setup(bundle) {
      bundle.onResolve({ filter: /^vendor:/ }, ({ path }) => ({ path: path.slice("vendor:".length), namespace: "vendor" }));
      bundle.onLoad({ filter: /.*/, namespace: "vendor" }, ({ path }) => {
        const own = modules.find((module) => module.path === path)?.parts ?? [];
        const group = modules.find(({ path: other, parts }) => parts.length > 0 && path.startsWith(dirname(other)));
        // Whoever loads another module of the package has the group already, or needs it: so both share one chunk.
        const taken = own.length > 0 ? [] : (group?.parts ?? []);
        return {
          contents: [
            ...exportsOf(own.length > 0 ? own : [path]),
            ...taken.map((part, index) => `export * as taken${index} from ${JSON.stringify(part)};`),
          ].join("\n"),
          resolveDir: process.cwd(),
        };
      });
    },
  };
  const { metafile } = await build({
    ...options,
    entryPoints: modules
      .map(({ path }) => path)
      .toSorted()
      .map((path) => ({ in: `vendor:${path}`, out: `vendor/${fileName(path)}` })),
    chunkNames: "vendor/[name]-[hash]",
    plugins: [...options.plugins, plugin],
    // Half the size. Names of classes and functions stay, since errors are printed with them.
    minifyIdentifiers: true,
    keepNames: true,
    sourcemap: false,
  });
  return metafile.outputs;
}

/** Lines that export all names of modules. A name of several is the same thing: one exports it again for others. */
function exportsOf(modules) {
  const known = new Set();
  return modules.map((module) => {
    const names = exportedNames(module).filter((name) => !known.has(name));
    for (const name of names) known.add(name);
    return `export { ${names.join(", ")} } from ${JSON.stringify(module)};`;
  });
}

/** What a module exports. Asked of Node, since the exports of CommonJS are known only when it has run. */
function exportedNames(path) {
  const program = `console.log(JSON.stringify(Object.keys(await import(${JSON.stringify(path)}))))`;
  const names = JSON.parse(execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" }));
  return names.filter((name) => /^[\w$]+$/.test(name));
}
