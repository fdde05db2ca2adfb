import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";

/** Paths in quotation marks: of imports, and of programs that a test starts. */
const quotedPath = /["'`]((?:\.{1,2}\/|src\/)[\w./-]+\.m?[tj]s|@pikit\/[\w/-]+)["'`]/g;

/** Knows which files of the repository name which others. */
export class RelatedTests {
  readonly #root: string;
  /** For each file those that name it. */
  readonly #namedBy = new Map<string, Set<string>>();

  constructor(root: string) {
    this.#root = root;
    const packages = readPackages(root);
    for (const file of globSync("packages/*/{src,test}/**/*.{ts,mjs}", { cwd: root })) {
      const path = join(root, file);
      for (const [, name = ""] of readFileSync(path, "utf8").matchAll(quotedPath)) {
        const target = packages.get(name) ?? findFile(path, name);
        if (target === undefined) continue;
        const namers = this.#namedBy.get(target) ?? new Set();
        this.#namedBy.set(target, namers.add(path));
      }
    }
  }

  /** The test files that come to a source file through what they name: those beside its mirror image first, then those that come to it in few steps. */
  of(file: string): string[] {
    const seen = new Set([join(this.#root, file)]);
    // A set goes on with what is added to it meanwhile.
    for (const path of seen) for (const namer of this.#namedBy.get(path) ?? []) seen.add(namer);
    const tests = [...seen].map((path) => relative(this.#root, path)).filter((path) => path.endsWith(".test.ts"));
    const mirror = file.replace("/src/", "/test/").replace(/\.ts$/, "/");
    return tests.sort((a, b) => sharedFolders(b, mirror) - sharedFolders(a, mirror));
  }
}

/** The source of each entry point, by the name that others import. */
function readPackages(root: string): Map<string, string> {
  const sources = new Map<string, string>();
  for (const file of globSync("packages/*/package.json", { cwd: root })) {
    const { name, exports = {} } = JSON.parse(readFileSync(join(root, file), "utf8"));
    for (const [entry, target] of Object.entries<{ "pikit-source"?: string }>(exports)) {
      const source = typeof target === "string" ? target : target["pikit-source"];
      if (source !== undefined) sources.set(join(name, entry), join(root, dirname(file), source));
    }
  }
  return sources;
}

/** How many folders of `mirror` a test is in; tests are in folders like those of their sources, and named like them. */
function sharedFolders(test: string, mirror: string): number {
  const folders = mirror.split("/");
  const names = test.replace(/\.test\.ts$/, "/").split("/");
  const first = names.findIndex((name, index) => name !== folders[index]);
  return first < 0 ? names.length : first;
}

/** A path as an import or a URL means it, or from the folder of the package. */
function findFile(from: string, name: string): string | undefined {
  const folder = name.startsWith("src/") ? from.replace(/\/(?:src|test)\/.*/, "") : dirname(from);
  const path = resolve(folder, name);
  return existsSync(path) ? path : undefined;
}
