// Bundles one package, called in its folder after `tsc` has written the declarations: node ../../scripts/bundle.mjs
// Third-party code goes into our files (an install is 25 MB instead of 155); what `dependencies` and `peerDependencies` name stays
// an import, except TypeBox: it is hundreds of small files, and reading them costs more than starting does.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { build } from "esbuild";
import { bundleDeclarations } from "./bundle/declarations.mjs";
import { directImports } from "./bundle/direct-imports.mjs";
import { compileEarly } from "./bundle/early-functions.mjs";
import { fewChunks } from "./bundle/few-chunks.mjs";
import { groups } from "./bundle/groups.mjs";
import { bundleLatePackages, latePackages } from "./bundle/late-packages.mjs";
import { lateUnicode } from "./bundle/late-unicode.mjs";
import { lazyBuiltins, standIn } from "./bundle/lazy-builtins.mjs";
import { checkNodeVersion } from "./bundle/node-version.mjs";
import { node20 } from "./bundle/node20.mjs";
import { thirdPartyNotices } from "./bundle/notices.mjs";
import { buildPage } from "./bundle/page.mjs";
import { requireStart } from "./bundle/require-start.mjs";
import { billOfMaterials } from "./bundle/sbom.mjs";
import { shapes } from "./bundle/shapes.mjs";
import { shortenNames } from "./bundle/short-names.mjs";
import { skipShims } from "./bundle/skip-shims.mjs";
import { bundledPackages } from "./bundle/third-party.mjs";
import { bundleVendor, ownModules, vendorModules } from "./bundle/vendor.mjs";

/** What each package is made of. An entry point is the name of a file in dist → its source. */
const packages = {
  "@pikit/ai": {
    library: {
      index: "src/index.ts",
      "partial-arguments": "src/partial-arguments.ts",
      "host-model": "src/apis/host/run.ts",
      files: "src/files/index.ts",
      "files-sync": "src/files/sync.ts",
    },
  },
  "@pikit/agent": { library: { index: "src/index.ts" } },
  "@pikit/coding-agent": {
    library: { index: "src/index.ts", protocol: "src/protocol/index.ts", errors: "src/errors.ts" },
    // For tests of those who use the library; takes only types from it.
    tests: { "session-store-tests": "src/conversation/session-store-tests.ts" },
    // The command takes ai and agent in: a start reads a few files instead of 20, which was a fifth of its time. Programs that use the library
    // share one copy of ai and agent with it, so that what they register there is known here.
    command: { cli: "src/cli.ts" },
    groups,
    // Programs of threads, started by path: see src/tools/images/run-worker.ts.
    worker: { "image-worker": "src/tools/images/worker.ts" },
    // For browsers: what `pi serve` answers with at /.
    page: "dist/page",
  },
  "@pikit/otel": { library: { index: "src/index.ts", pi: "src/pi.ts" } },
  "@pikit/postgres": { library: { index: "src/index.ts", work: "src/work/index.ts" } },
  "@pikit/rpc-client": {
    library: { index: "src/index.ts" },
    // This package stands alone: it imports nothing at run time, and of our other packages it inlines these pure modules only.
    inlines: [
      ...["../ai/src/nesting.ts", "../ai/src/partial-arguments.ts", "../ai/src/apis/host/run.ts"],
      "../coding-agent/src/protocol/",
    ],
  },
};

const typebox = "@sinclair/typebox";
/** Third-party code that a start needs, and small modules: they stay in our files. */
const inlined = [typebox, "fastest-levenshtein", "eventsource-parser", "@streamparser/json", "strip-json-comments"];
/** Packages of which a start needs some modules, which are one file: see `vendorModules`. */
const grouped = ["@earendil-works/pi-tui"];
const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const {
  library,
  tests,
  command,
  worker,
  page,
  inlines,
  groups: loadedTogether = [],
} = packages[manifest.name] ?? fail("scripts/bundle.mjs knows no entry points of it, add them there");
for (const source of [
  ...Object.values({ ...library, ...tests, ...command, ...worker }),
  ...loadedTogether.flatMap(({ modules }) => modules),
]) {
  if (!existsSync(source)) fail(`${source} is missing`);
}

// Hashed chunks pile up otherwise, and get published.
for (const folder of ["dist/chunks", "dist/command", "dist/vendor"]) rmSync(folder, { recursive: true, force: true });
const installed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies }).filter((name) => name !== typebox);
const packageNames = Object.keys(packages);
const vendored = new Map();
const latePackageFolders = new Map();
const outputs = await bundle(
  { ...library, ...tests },
  { folder: "chunks", imports: inlines ? [] : installed, shared: Object.values(library) },
);
checkNodeVersion("dist", Object.keys(library), manifest.engines.node.replace(">=", ""));
if (command) {
  const imports = installed.filter((name) => !packageNames.includes(name));
  const written = await bundle(command, {
    folder: "command",
    imports,
    shared: ["src/main.ts"],
    more: [directImports, latePackages(standIn, latePackageFolders)],
  });
  shortenNames(Object.keys(written).filter((file) => file.endsWith(".js")));
  requireStart("dist/cli.js");
  await compileEarly("dist/cli.js");
  Object.assign(outputs, written);
}

if (page) Object.assign(outputs, await buildPage(".", page).catch(failed));
if (worker) Object.assign(outputs, await bundle(worker, { folder: "chunks", imports: installed, shared: [] }));
const modules = ownModules(vendored, manifest.imports ?? {});
const vendorOptions = options([]);
if (modules.length > 0)
  Object.assign(
    outputs,
    await bundleVendor(modules, { ...vendorOptions, plugins: [...vendorOptions.plugins, lateUnicode] }).catch(failed),
  );
Object.assign(outputs, await bundleLatePackages(latePackageFolders, options([])).catch(failed));

const bundled = Object.values(outputs).flatMap(({ inputs }) =>
  Object.keys(inputs).filter((file) => inputs[file].bytesInOutput > 0),
);
if (inlines) {
  const foreign = bundled.filter((file) => {
    if (file.includes("node_modules/")) return file.includes(typebox);
    return file.startsWith("../") && !inlines.some((allowed) => file.startsWith(allowed));
  });
  if (foreign.length > 0) fail(`it must stand alone but bundles ${foreign.slice(0, 3).join(", ")}; import only types from there`);
}
const types = new Set([...JSON.stringify(manifest.exports).matchAll(/"\.\/dist\/([^"]+)\.d\.ts"/g)].map(([, name]) => name));
bundled.push(...(await bundleDeclarations([...types], inlines ? [] : [...installed, typebox])));
const thirdParty = bundledPackages(bundled);
writeFileSync("dist/THIRD-PARTY-NOTICES.txt", thirdPartyNotices(thirdParty));
writeFileSync("dist/sbom.cdx.json", billOfMaterials(manifest, thirdParty));

const sizes = Object.entries(outputs).flatMap(([file, { bytes }]) => (file.endsWith(".js") ? [bytes] : []));
console.log(`${manifest.name}: ${sizes.length} files, ${Math.round(sizes.reduce((sum, bytes) => sum + bytes, 0) / 1000)} kB`);

/**
 * Bundles entry points that share chunks.
 *
 * @param folder - of dist, for the chunks.
 * @param imports - packages that stay imports.
 * @param shared - what is loaded by the time that anything else is; see fewChunks.
 * @param more - further plugins. Default: none.
 * @returns what was written, as esbuild's metafile tells it.
 */
async function bundle(entryPoints, { folder, imports, shared, more = [] }) {
  const { metafile } = await build({
    ...options(imports),
    entryPoints,
    chunkNames: `${folder}/[name]-[hash]`,
    plugins: [
      ...more,
      lazyBuiltins,
      node20,
      lateUnicode,
      shapes,
      fewChunks(
        shared,
        packageNames.filter((name) => !imports.includes(name)),
        loadedTogether,
      ),
      ...(inlines ? [] : [vendorModules({ kept: [...imports, ...packageNames], inlined, grouped }, vendored)]),
    ],
  }).catch(failed);
  const late = [...shared, ...loadedTogether.flatMap(({ modules }) => modules)];
  return skipShims(
    metafile.outputs,
    late.filter((module) => !Object.values(entryPoints).includes(module)),
  );
}

/** What all bundles have in common. `imports`: packages that stay imports. */
function options(imports) {
  return {
    outdir: "dist",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    // The oldest Node that `engines` allows.
    target: "node20.19",
    conditions: ["pikit-source", "module"],
    // See version.ts of coding-agent.
    define: { builtVersion: JSON.stringify(manifest.version) },
    external: imports.flatMap((name) => [name, `${name}/*`]),
    plugins: [lazyBuiltins, node20],
    // Identifiers stay, so that stack traces in the programs of our users can be read without source maps, which would be 1.7 of the 25 MB that an
    // install may take. Without a line limit an uncaught error prints a line of 500 kB.
    minifySyntax: true,
    minifyWhitespace: true,
    lineLimit: 160,
    legalComments: "none",
    metafile: true,
    logLevel: "warning",
  };
}

function failed() {
  fail("esbuild could not bundle it, see above");
}

/** @returns {never} */
function fail(reason) {
  console.error(`Cannot bundle ${manifest.name}: ${reason}.`);
  process.exit(1);
}
