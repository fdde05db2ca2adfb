// Bundles one package, called in its folder after `tsc` has written the declarations: node ../../scripts/bundle.mjs
// Third-party code goes into our files (an install is 25 MB instead of 155); what `dependencies` and `peerDependencies` name stays
// an import, except TypeBox: it is hundreds of small files, and reading them costs more than starting does.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import { bundleDeclarations } from "./bundle/declarations.mjs";
import { fewChunks } from "./bundle/few-chunks.mjs";
import { lazyBuiltins } from "./bundle/lazy-builtins.mjs";
import { thirdPartyNotices } from "./bundle/notices.mjs";

/** Entry points by package: name of the file in dist → source. */
const packages = {
  "@pikit/ai": { entries: { index: "src/index.ts", "partial-arguments": "src/partial-arguments.ts" } },
  "@pikit/agent": { entries: { index: "src/index.ts" } },
  "@pikit/coding-agent": { entries: { index: "src/index.ts", protocol: "src/protocol/index.ts", cli: "src/cli.ts" } },
  "@pikit/rpc-client": {
    entries: { index: "src/index.ts" },
    // This package stands alone: it imports nothing at run time, and of our other packages it inlines these pure modules only.
    inlines: ["../ai/src/partial-arguments.ts", "../coding-agent/src/protocol/"],
  },
};

const typebox = "@sinclair/typebox";
const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const { entries, inlines } = packages[manifest.name] ?? fail("scripts/bundle.mjs knows no entry points of it, add them there");
for (const source of Object.values(entries)) {
  if (!existsSync(source)) fail(`the entry point ${source} is missing`);
}

// Hashed chunks pile up otherwise, and get published.
rmSync("dist/chunks", { recursive: true, force: true });
const installed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).filter((name) => name !== typebox);
const { metafile } = await build({
  entryPoints: entries,
  outdir: "dist",
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  format: "esm",
  platform: "node",
  // The CLI starts on 20.19 too, although 22.19 is what we support.
  target: "node20.19",
  conditions: ["pikit-source", "module"],
  external: inlines ? [] : installed.flatMap((name) => [name, `${name}/*`]),
  plugins: [lazyBuiltins, fewChunks(Object.values(entries).filter((source) => source !== "src/cli.ts"))],
  // Identifiers stay: minified, an error's class is printed as `Qe`. Without a line limit an uncaught error prints a line of 500 kB.
  minifySyntax: true,
  minifyWhitespace: true,
  lineLimit: 160,
  legalComments: "none",
  // The names and lines of the sources are enough for a stack trace; their text would make the maps ten times as big (9 MB).
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  logLevel: "warning",
}).catch(() => fail("esbuild could not bundle it, see above"));

const bundled = Object.values(metafile.outputs).flatMap(({ inputs }) =>
  Object.keys(inputs).filter((file) => inputs[file].bytesInOutput > 0),
);
if (inlines) {
  const foreign = bundled.filter((file) => {
    if (file.includes("node_modules/")) return file.includes(typebox);
    return file.startsWith("../") && !inlines.some((allowed) => file.startsWith(allowed));
  });
  if (foreign.length > 0) fail(`it must stand alone but bundles ${foreign.slice(0, 3).join(", ")}; import only types from there`);
  bundled.push(...(await bundleDeclarations(Object.keys(entries))));
}
writeFileSync("dist/THIRD-PARTY-NOTICES.txt", thirdPartyNotices(bundled));

const sizes = Object.entries(metafile.outputs).flatMap(([file, { bytes }]) => (file.endsWith(".js") ? [bytes] : []));
console.log(`${manifest.name}: ${sizes.length} files, ${Math.round(sizes.reduce((sum, bytes) => sum + bytes, 0) / 1000)} kB`);

/** @returns {never} */
function fail(reason) {
  console.error(`Cannot bundle ${manifest.name}: ${reason}.`);
  process.exit(1);
}
