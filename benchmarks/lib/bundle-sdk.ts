import { join } from "node:path";
import { build, type Plugin } from "esbuild";

// By address, since it is plain JavaScript without types of its own.
const { lazyBuiltins } = (await import(new URL("../../scripts/bundle/lazy-builtins.mjs", import.meta.url).href)) as {
  lazyBuiltins: Plugin;
};

/** Bundles an SDK as `packages/ai` does, so that what is compared with it differs in nothing else. Its default export is the SDK's. */
export async function bundleSdk(sdk: string, outfile: string): Promise<void> {
  await build({
    stdin: {
      contents: `export { default } from ${JSON.stringify(sdk)};`,
      resolveDir: join(import.meta.dirname, "../../packages/ai"),
    },
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20.19",
    conditions: ["module"],
    plugins: [lazyBuiltins],
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 160,
    legalComments: "none",
    logLevel: "error",
  });
}

/** Writes a program without its types: taking them off takes Node longer than a start does. */
export async function stripTypes(program: string, outfile: string): Promise<void> {
  await build({ entryPoints: [program], outfile, format: "esm", platform: "node", target: "node20.19", logLevel: "error" });
}
