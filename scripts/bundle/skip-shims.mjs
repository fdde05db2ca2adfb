import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { posix } from "node:path";

/**
 * Removes files of the build that only re-export a chunk, and loads the chunk itself in their place: it exports the same names, and more. esbuild
 * writes such a file for a module that is loaded with `import()`, if other modules share all of its code. Reading the file takes up to a
 * millisecond.
 *
 * @param outputs - The outputs in esbuild's metafile.
 * @param modules - The sources whose files may be removed. Others keep their exact names, such as a package that extensions import as a whole.
 * @returns The outputs that remain.
 */
export function skipShims(outputs, modules) {
  const chunkOf = new Map();
  for (const [file, { entryPoint }] of Object.entries(outputs)) {
    const chunk = isOneOf(modules, entryPoint) ? findChunk(file) : undefined;
    if (chunk === undefined) continue;
    chunkOf.set(file, chunk);
    rmSync(file);
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
  return Object.fromEntries(Object.entries(outputs).filter(([file]) => !chunkOf.has(file)));
}

/** The entry point of a module that is loaded with `import()` begins with the namespace of few-chunks. */
function isOneOf(modules, entryPoint) {
  return (
    entryPoint !== undefined &&
    modules.some((module) => posix.resolve(entryPoint.replace(/^[\w-]+:/, "")) === posix.resolve(module))
  );
}

/** The chunk that exports everything that a file exports, under the same names; undefined if the file does more than that. */
function findChunk(file) {
  const text = readFileSync(file, "utf8");
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
  // The exports named `taken0` and so on are only for few-chunks.
  const wanted = exported?.filter((name) => !/ as taken\d+$/.test(name)) ?? [];
  const found = new Set(wanted.map((name) => chunks.get(name)));
  const [chunk] = found;
  if (text.slice(end).trim() !== "" || found.size !== 1 || chunk === undefined) return undefined;
  return posix.join(posix.dirname(file), chunk);
}

function listNames(list) {
  return list.split(",").flatMap((name) => (name.trim() === "" ? [] : [name.trim()]));
}
