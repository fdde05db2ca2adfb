// `npm run manifests` writes who publishes, and where, from the package.json of the root into the one of each package, and the address of the
// repository into the links of documents. `addresses.test.ts` fails if one of them differs.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { addressOf, documentsWithLinks, type Manifest, manifestPaths, ownerFields } from "./manifests/owner.ts";

const folder = join(import.meta.dirname, "..");
const read = (path: string): Manifest => JSON.parse(readFileSync(join(folder, path), "utf8"));
const root = read("package.json");

const former = new Set<string>();
for (const path of manifestPaths(folder)) {
  const manifest = read(path);
  if (manifest.private) continue;
  if (manifest.repository) former.add(addressOf(manifest));
  const { license, ...rest } = manifest;
  const fields = ownerFields(root, path);
  const ordered = Object.entries(rest).flatMap(([key, value]) => {
    if (key === "description") return [[key, value], ["license", license], ...Object.entries(fields)];
    return key in fields ? [] : [[key, value]];
  });
  writeFileSync(join(folder, path), `${JSON.stringify(Object.fromEntries(ordered), null, 2)}\n`);
}

for (const path of documentsWithLinks(folder)) {
  const text = readFileSync(join(folder, path), "utf8");
  const now = [...former].reduce((result, address) => result.replaceAll(`${address}/`, `${addressOf(root)}/`), text);
  if (now !== text) writeFileSync(join(folder, path), now);
}
