import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** `process` is undefined in browsers; Bun and Deno name the version of Node whose modules they have. */
const check = (needed) => `const version = globalThis.process?.versions?.node;
const [major, minor] = (version ?? "${needed}").split(".").map(Number);
if (major < ${needed.split(".")[0]} || (major === ${needed.split(".")[0]} && minor < ${needed.split(".")[1]})) {
  throw new Error(\`pikit needs Node ${needed} or newer, but this is Node \${version}. Install a newer Node.\`);
}
`;

/**
 * Lets the entry points of a library say which Node they need. Modules that are imported first are run first, so this one ends the import before a
 * function that an older Node lacks is called.
 *
 * @param dist - The folder of the entry points.
 * @param needed - The oldest supported Node, such as `20.19`.
 */
export function checkNodeVersion(dist, entries, needed) {
  writeFileSync(join(dist, "node-version.js"), check(needed));
  for (const entry of entries) {
    const file = join(dist, `${entry}.js`);
    writeFileSync(file, `import"./node-version.js";${readFileSync(file, "utf8")}`);
  }
}
