import { createHash } from "node:crypto";
import { join } from "node:path";
import { projectFolder } from "../config/paths.ts";
import type { PackageSource } from "./package-source.ts";

/** `user`, `project`: packages in the settings. `path`: packages of the command line, for one run. */
export type PackageScope = "user" | "project" | "path";

/** The folders of the user and of a project. */
export interface PackagePlaces {
  agentDir: string;
  cwd: string;
}

/** The folder of a scope: that of its settings, to which their paths are relative, and in which packages are installed. */
export function scopeFolder(scope: PackageScope, { agentDir, cwd }: PackagePlaces): string {
  if (scope === "user") return agentDir;
  return scope === "project" ? projectFolder(cwd) : cwd;
}

/** The folder below which a package is installed: in `npm` with all others of its scope, or in `git` by itself. */
export function installFolder(source: PackageSource, scope: PackageScope, places: PackagePlaces): string {
  if (scope !== "path") return scopeFolder(scope, places);
  // Each has a folder of its own, since two runs may want two versions.
  const name = createHash("sha256").update(source.shown).digest("hex").slice(0, 16);
  return join(places.agentDir, "tmp", "packages", name);
}

/** The folder of a package below its install folder. Local packages stay where they are. */
export function packageFolder(source: PackageSource, folder: string): string {
  if (source.kind === "local") return source.path;
  return source.kind === "npm" ? join(npmRoot(folder), "node_modules", source.name) : join(folder, "git", source.folder);
}

/** The npm project that has the packages of the registry as its dependencies. */
export function npmRoot(folder: string): string {
  return join(folder, "npm");
}
