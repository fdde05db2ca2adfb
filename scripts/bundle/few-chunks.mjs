import { relative, resolve } from "node:path";

/**
 * esbuild plugin: keeps low how many files a start has to read (each costs about half a millisecond). esbuild makes a chunk for each set
 * of entry points that share a module, and each `import()` is an entry point. Here every `import()` of ours takes the whole library
 * along, which is loaded by then anyway; so nearly all of it is shared by the same set, which makes few chunks.
 *
 * @param entries - the library's entry points, such as `src/index.ts`.
 * @param inlined - packages that are part of our files; an extension gets the running copy of them by `import()`.
 * @param groups - see groups.mjs. In the same way each module of a group takes all of them along, which makes one chunk of each group.
 */
export const fewChunks = (entries, inlined, groups = []) => ({
  name: "few-chunks",
  setup(build) {
    build.onResolve({ filter: /^[.@]/ }, ({ path, kind, importer, resolveDir }) => {
      // The command line loads the library when it knows that it needs it: not for --version.
      if (kind !== "dynamic-import" || importer.includes("node_modules") || importer.endsWith("/src/cli.ts")) return undefined;
      // Relative: esbuild makes the names of chunks from it, which must be the same in every folder.
      if (/^\.\.?\//.test(path)) return { path: relative("", resolve(resolveDir, path)), namespace: "with-library" };
      return inlined.some((name) => path === name || path.startsWith(`${name}/`)) ? { path, namespace: "with-library" } : undefined;
    });
    build.onLoad({ filter: /.*/, namespace: "with-library" }, ({ path: given }) => {
      const path = given.startsWith("@") ? given : resolve(given);
      const taken = entries.map((entry) => resolve(entry));
      for (const { modules, users } of groups) {
        const group = modules.map((module) => resolve(module));
        if (group.includes(path) || users?.test(path)) taken.push(...group.filter((module) => module !== path));
      }
      return {
        contents: [
          `export * from ${JSON.stringify(path)};`,
          // A bare import would be dropped, since the package has no side effects.
          ...taken.map((entry, index) => `export * as taken${index} from ${JSON.stringify(entry)};`),
        ].join("\n"),
        resolveDir: resolve("src"),
      };
    });
  },
});
