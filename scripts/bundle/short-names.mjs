import { readFileSync, writeFileSync } from "node:fs";
import { transformSync } from "esbuild";

/**
 * Shortens the local identifiers of built files: 0.4 of the 25 MB that an install may take, and a quarter of what a start reads. It is done file by file,
 * after the bundling, because skip-shims.mjs needs the names of exports. Names of functions and classes are lost too (to keep them takes 5 ms of a
 * start), so code must not use them, and a class of errors says its `name`.
 */
export function shortenNames(files) {
  for (const file of files) {
    const { code } = transformSync(readFileSync(file, "utf8"), {
      format: "esm",
      target: "node20.19",
      minifyIdentifiers: true,
      minifySyntax: true,
      minifyWhitespace: true,
      lineLimit: 160,
      legalComments: "none",
    });
    writeFileSync(file, code);
  }
}
