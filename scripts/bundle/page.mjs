import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { constants, gzipSync } from "node:zlib";
import { build, transform } from "esbuild";

/** Browsers since the beginning of 2024. */
const target = ["chrome120", "firefox124", "safari17.4"];

/**
 * Builds the page of `pi serve`: one script, one style and one HTML file. The script holds all that it needs, for browsers load nothing else. It is
 * compressed, as it is sent: a third of its size, in the package and on the way.
 *
 * @param packageFolder - that of coding-agent.
 * @param outdir - where the three files go.
 * @returns what was written, as esbuild's metafile tells it.
 */
export async function buildPage(packageFolder, outdir) {
  const source = (name) => join(packageFolder, "src", name);
  const { metafile } = await build({
    entryPoints: { page: source("page/page.ts") },
    outdir,
    bundle: true,
    format: "iife",
    platform: "browser",
    target,
    conditions: ["pikit-source", "module"],
    minify: true,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  });
  const { style } = await import(pathToFileURL(source("render/style.ts")).href);
  const css = await transform(`${style}\n${readFileSync(source("page/page.css"), "utf8")}`, {
    loader: "css",
    minify: true,
    target,
  });
  const script = join(outdir, "page.js");
  writeFileSync(`${script}.gz`, gzipSync(readFileSync(script), { level: constants.Z_BEST_COMPRESSION }));
  rmSync(script);
  writeFileSync(join(outdir, "page.css"), css.code);
  writeFileSync(join(outdir, "index.html"), readFileSync(source("page/index.html"), "utf8"));
  return metafile.outputs;
}
