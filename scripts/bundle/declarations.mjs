import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";

/**
 * Rolls the declarations of each entry point into one file, beside files for the declarations that several entry points share, and removes the
 * single files that `tsc` wrote: each takes a block of the disk.
 *
 * @param entries - names of the entry points, such as `index` for dist/index.d.ts.
 * @param external - packages whose declarations stay imports; those of others are copied in.
 * @returns the declaration files that were copied in.
 */
export async function bundleDeclarations(entries, external) {
  const input = Object.fromEntries(entries.map((name) => [name, `dist/${name}.d.ts`]));
  const isExternal = (id) => id.startsWith("node:") || external.some((name) => id === name || id.startsWith(`${name}/`));
  const bundle = await rolldown({ input, external: isExternal, plugins: [dts({ dtsInput: true, tsconfig: false })] });
  const { output } = await bundle.generate({ format: "es" });
  await bundle.close();
  for (const file of readdirSync("dist", { recursive: true })) {
    if (/\.d\.ts(\.map)?$/.test(file)) rmSync(join("dist", file));
  }
  for (const { fileName, code } of output) writeFileSync(join("dist", fileName), code);
  // tsc takes what it has written once for being there.
  rmSync("dist/.tsbuildinfo", { force: true });
  return output.flatMap(({ moduleIds }) => moduleIds);
}
