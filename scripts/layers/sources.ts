import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { type Import, readImports } from "./imports.ts";
import { layers, programs } from "./order.ts";

/** One import with the file that it leads to. */
export interface Edge extends Import {
  /** The imported file of ours, from the root, with `/`; undefined for Node and third-party code. */
  target: string | undefined;
}

export interface Source {
  /** From the root, with `/`. */
  path: string;
  edges: Edge[];
  hasUnknownImport: boolean;
  isOnlyReexports: boolean;
}

export interface Sources {
  files: ReadonlyMap<string, Source>;
  /** The modules that packages name in their `exports`. */
  entries: ReadonlySet<string>;
  /** Relative imports that lead to no file. */
  problems: string[];
}

/** Reads the sources of all packages and programs below a folder. */
export function readSources(root: string): Sources {
  const exported = readExports(root);
  const files = new Map<string, Source>();
  const problems: string[] = [];
  for (const path of [...layers.map(({ folder }) => `${folder}/src`), ...programs].flatMap((folder) => listFiles(root, folder))) {
    const { imports, ...facts } = readImports(join(root, path));
    const edges = imports.map((each) => ({ ...each, target: resolveImport(path, each.specifier, exported) }));
    for (const { specifier, target } of edges) {
      if (specifier.startsWith(".") && !existsSync(join(root, target ?? "")))
        problems.push(`${path} imports ${specifier}: no such file`);
    }
    files.set(path, { path, edges, ...facts });
  }
  return { files, entries: new Set(exported.values()), problems };
}

function listFiles(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .map((path) => `${folder}/${path.split(sep).join("/")}`)
    .filter((path) => /\.(?:ts|mjs)$/.test(path) && !/\.(?:d|generated)\.ts$/.test(path))
    .sort();
}

/** The source of each entry point of our packages: `@pikit/ai/files` → `packages/ai/src/files/index.ts`. */
function readExports(root: string): Map<string, string> {
  const exported = new Map<string, string>();
  for (const { folder } of layers) {
    const { name, exports } = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
      name: string;
      exports: Record<string, string | { "pikit-source"?: string }>;
    };
    for (const [entry, target] of Object.entries(exports)) {
      const source = typeof target === "string" ? target : target["pikit-source"];
      if (source?.endsWith(".ts")) exported.set(name + entry.slice(1), `${folder}/${source.slice(2)}`);
    }
  }
  return exported;
}

function resolveImport(importer: string, specifier: string, exported: ReadonlyMap<string, string>): string | undefined {
  if (!specifier.startsWith(".")) return exported.get(specifier);
  return relative(".", join(dirname(importer), specifier))
    .split(sep)
    .join("/");
}
