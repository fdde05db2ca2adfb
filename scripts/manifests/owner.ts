import { globSync } from "node:fs";
import { dirname } from "node:path";

/** What is read of a package.json here. */
export interface Manifest {
  name: string;
  private?: boolean;
  license?: string;
  author?: string;
  homepage?: string;
  bugs?: { url: string };
  repository?: { type: string; url: string; directory?: string };
  keywords?: string[];
  [key: string]: unknown;
}

/** The address of the repository as a browser opens it, without a slash at its end. */
export function addressOf({ name, repository }: Manifest): string {
  if (!repository) throw new Error(`the package.json of ${name} has no "repository": add it, with the address for git`);
  return repository.url.replace(/^git\+/, "").replace(/\.git$/, "");
}

/** The fields of the package whose manifest is at this path of the repository: who publishes it, and where. */
export function ownerFields(root: Manifest, path: string): Pick<Manifest, "author" | "homepage" | "bugs" | "repository"> {
  const directory = dirname(path);
  return {
    author: root.author ?? "",
    homepage: `${addressOf(root)}/tree/main/${directory}#readme`,
    bugs: { url: `${addressOf(root)}/issues` },
    repository: { type: "git", url: root.repository?.url ?? "", directory },
  };
}

/** The manifests of the packages, relative to the folder of the repository. */
export function manifestPaths(folder: string): string[] {
  return globSync("packages/*/package.json", { cwd: folder }).sort();
}

/** The documents whose links name the repository's address, relative to its folder. */
export function documentsWithLinks(folder: string): string[] {
  const patterns = ["*.md", "docs/**/*.md", "examples/**/*.md", "packages/*/*.md", ".github/**/*.{md,yml}"];
  return globSync(patterns, { cwd: folder, exclude: ["**/node_modules/**"] }).sort();
}
