#!/usr/bin/env node
/** The oldest supported Node; the same as `engines` in package.json. */
const oldest = [20, 19] as const;
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);

if (major < oldest[0] || (major === oldest[0] && minor < oldest[1])) {
  process.stderr.write(
    `pi needs Node ${oldest.join(".")} or newer, but this is Node ${process.versions.node}. Install a newer Node.\n`,
  );
  process.exitCode = 1;
} else {
  // Not imported: an import makes a module of all its exports, which takes half a millisecond. Older versions of Node have only imports.
  process.getBuiltinModule("node:module").enableCompileCache?.();
  const { main } = await import("./main.ts");
  await main(process.argv.slice(2));
}
