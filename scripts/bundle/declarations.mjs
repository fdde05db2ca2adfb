import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";

/**
 * Rolls the declarations of each entry point into one file that imports nothing (the types of other packages are copied in) and
 * removes the single files that `tsc` wrote.
 *
 * @param entries - names of the entry points, such as `index` for dist/index.d.ts.
 * @returns the declaration files that were copied in.
 */
export async function bundleDeclarations(entries) {
  const input = Object.fromEntries(entries.map((name) => [name, `dist/${name}.d.ts`]));
  const bundle = await rolldown({ input, external: /^node:/, plugins: [dts({ dtsInput: true, tsconfig: false })] });
  const { output } = await bundle.generate({ format: "es" });
  await bundle.close();
  for (const file of readdirSync("dist", { recursive: true })) {
    if (/\.d\.ts(\.map)?$/.test(file)) rmSync(join("dist", file));
  }
  for (const { fileName, code } of output) writeFileSync(join("dist", fileName), code);
  return output.flatMap(({ moduleIds }) => moduleIds);
}

/**
 * Removes the declarations that no entry point leads to: each takes a block of the disk.
 *
 * @param entries - declaration files, such as `dist/index.d.ts`.
 */
export function pruneDeclarations(entries) {
  const reached = new Set();
  const open = entries.map((file) => join(file));
  while (open.length > 0) {
    const file = open.pop();
    if (reached.has(file)) continue;
    reached.add(file);
    const imported = readFileSync(file, "utf8").matchAll(/(?:\bfrom|\bimport)\s*\(?"(\.[^"]+)\.ts"/g);
    for (const [, path] of imported) open.push(join(dirname(file), `${path}.d.ts`));
  }
  for (const name of readdirSync("dist", { recursive: true })) {
    const file = join("dist", name);
    if (/\.d\.ts(\.map)?$/.test(file) && !reached.has(file.replace(/\.map$/, ""))) rmSync(file);
  }
  // tsc takes what it has written once for being there.
  rmSync("dist/.tsbuildinfo", { force: true });
}
