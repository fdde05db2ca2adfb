import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { posix } from "node:path";

/**
 * What `import()` finds is an entry point of its own, and where others share all of it, esbuild leaves a file there that only hands on what a
 * chunk exports. Each such file is one more to read, which takes up to a millisecond. Here the chunk itself takes its place: it exports the
 * same under the same names, and more.
 *
 * @param outputs - as esbuild's metafile tells them.
 * @param modules - whose shims are skipped. What others look at as a whole, such as a package that extensions import, keeps its own names.
 * @returns the outputs that are left.
 */
export function skipShims(outputs, modules) {
  const chunkOf = new Map();
  for (const [file, { entryPoint }] of Object.entries(outputs)) {
    const chunk = isOneOf(modules, entryPoint) ? findChunk(file) : undefined;
    if (chunk === undefined) continue;
    chunkOf.set(file, chunk);
    rmSync(file);
    rmSync(`${file}.map`, { force: true });
  }
  for (const file of Object.keys(outputs)) {
    if (!file.endsWith(".js") || chunkOf.has(file)) continue;
    const text = readFileSync(file, "utf8");
    const replaced = text.replace(/\bimport\("(\.[^"]+)"\)/g, (importCall, specifier) => {
      const chunk = chunkOf.get(posix.join(posix.dirname(file), specifier));
      if (chunk === undefined) return importCall;
      const path = posix.relative(posix.dirname(file), chunk);
      return `import("${path.startsWith(".") ? path : `./${path}`}")`;
    });
    if (replaced !== text) writeFileSync(file, replaced);
  }
  return Object.fromEntries(Object.entries(outputs).filter(([file]) => !chunkOf.has(file.replace(/\.map$/, ""))));
}

/** Entry points that `import()` made are told with the namespace of few-chunks before them. */
function isOneOf(modules, entryPoint) {
  return (
    entryPoint !== undefined &&
    modules.some((module) => posix.resolve(entryPoint.replace(/^[\w-]+:/, "")) === posix.resolve(module))
  );
}

/** The chunk that exports all that a file exports, under the same names; undefined where the file is more than a shim. */
function findChunk(file) {
  const text = readFileSync(file, "utf8").replace(/\n\/\/# sourceMappingURL=.*\s*$/, "");
  const statement = /\s*(?:import(?:\{([^}]*)\}from)?"(\.[^"]+)"|export\{([^}]*)\});/gy;
  const chunks = new Map();
  let exported;
  let end = 0;
  for (let match = statement.exec(text); match; match = statement.exec(text)) {
    const [, imported = "", chunk, names] = match;
    for (const name of chunk === undefined ? [] : listNames(imported)) chunks.set(name, chunk);
    exported ??= names && listNames(names);
    end = statement.lastIndex;
  }
  // `taken0` and the like are there for few-chunks; nobody asks for them.
  const wanted = exported?.filter((name) => !/ as taken\d+$/.test(name)) ?? [];
  const found = new Set(wanted.map((name) => chunks.get(name)));
  const [chunk] = found;
  if (text.slice(end).trim() !== "" || found.size !== 1 || chunk === undefined) return undefined;
  return posix.join(posix.dirname(file), chunk);
}

function listNames(list) {
  return list.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
}
