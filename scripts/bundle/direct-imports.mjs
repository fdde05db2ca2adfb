import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

/** The packages that the command takes in, and their entry points. */
const entryPoints = { "@pikit/ai": "../ai/src/index.ts", "@pikit/agent": "../agent/src/index.ts" };

/** Small modules that the first prompt needs, and that many late modules share: in the start's chunk they are no files of their own. */
const early = ["../ai/src/stream.ts", "../ai/src/read-body.ts", "../ai/src/answer-limits.ts"];

/**
 * esbuild plugin for the command: what a file imports from the entry point of ai or agent, it imports from the module that has it. esbuild puts
 * a module into the start's chunk if any import statement leads to it, also through an entry point of which another name is used.
 */
export const directImports = {
  name: "direct-imports",
  setup(build) {
    const homes = Object.fromEntries(Object.entries(entryPoints).map(([name, path]) => [name, findHomes(resolve(path))]));
    const isOurs = /\/packages\/(?:coding-agent|agent)\/src\/.*\.ts$/;
    build.onLoad({ filter: isOurs, namespace: "file" }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      const contents = source.replace(
        /^import \{([^}]*)\} from "(@pikit\/(?:ai|agent))";$/gm,
        (_statement, names, name) => toDirect(names, homes[name]) ?? fail(`${path} imports from ${name} what it does not export`),
      );
      const added = path === resolve("src/main.ts") ? early.map(takeAlong).join("") : "";
      return contents + added === source ? undefined : { contents: contents + added, loader: "ts" };
    });
  },
};

/** Where the values that an entry point exports are: name → module. */
function findHomes(entryPoint) {
  const homes = new Map();
  for (const [, names, module] of readFileSync(entryPoint, "utf8").matchAll(/^export \{([^}]*)\} from "([^"]+)";$/gm)) {
    for (const name of listValues(names)) homes.set(name, join(dirname(entryPoint), module));
  }
  return homes;
}

/** Import statements for each module, in one line, so that the numbers of lines stay. Undefined if a name has no home. */
function toDirect(names, homes) {
  const values = listValues(names);
  if (values.some((value) => !homes.has(originalOf(value)))) return undefined;
  return values.map((value) => `import { ${value} } from ${JSON.stringify(homes.get(originalOf(value)))};`).join(" ");
}

/** A bare import would be dropped, since the packages have no side effects. skip-shims.mjs knows such names. */
function takeAlong(module, index) {
  return `export * as taken${index} from ${JSON.stringify(resolve(module))};`;
}

/** The names in a list without those of types. */
function listValues(list) {
  return list.split(",").flatMap((item) => (item.trim() === "" || item.trim().startsWith("type ") ? [] : [item.trim()]));
}

function originalOf(name) {
  return name.split(" as ")[0];
}

function fail(problem) {
  throw new Error(`${problem}: see direct-imports.mjs`);
}
