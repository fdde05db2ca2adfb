import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** Licences under which code may be part of our files. */
const allowed = new Set([
  ...["0BSD", "Apache-2.0", "BlueOak-1.0.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "MIT-0", "Unlicense", "Zlib"],
]);

/**
 * The packages that a bundle has files of, by name and version.
 *
 * @param files - paths of the bundled files; those outside node_modules are ours.
 * @throws {Error} When the licence of a package is not one that we may use.
 */
export function bundledPackages(files) {
  const folders = new Set(
    files.flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? []).map((folder) => resolve(folder)),
  );
  const packages = [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    // An expression such as `MIT OR GPL-2.0` lets us choose.
    const choices = String(license ?? "none")
      .replaceAll(/[()]/g, "")
      .split(" OR ");
    const chosen = choices.find((choice) => allowed.has(choice));
    if (!chosen) throw new Error(`${name} ${version} is bundled but its licence is ${license}: leave it out, or allow it here.`);
    return { folder, name, version, license: chosen };
  });
  return packages.sort((a, b) => (`${a.name} ${a.version}` < `${b.name} ${b.version}` ? -1 : 1));
}
