import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

/**
 * Finds an entry point of a package that is no part of this one, and is installed when it is needed: where pi is installed, in `node_modules` of
 * the agent folder, or where `pi install` puts packages.
 *
 * @param name - Such as `@pikit/postgres`, or `@pikit/otel/pi`.
 * @returns The path of its file; undefined if it is not installed.
 */
export function findPackage(name: string, agentDir: string): string | undefined {
  // Paths of files that need not exist: packages are searched from their folders upwards.
  for (const from of [import.meta.url, join(agentDir, "package.json"), join(agentDir, "npm", "package.json")]) {
    try {
      return createRequire(from).resolve(name);
    } catch {
      // Not installed here.
    }
  }
  return undefined;
}

/** Loads the module that `findPackage` has found. */
export function importPackage(file: string): Promise<unknown> {
  return import(pathToFileURL(file).href);
}

/** The command that installs a package where `findPackage` finds it. */
export function installCommand(name: string, agentDir: string): string {
  return `npm install --prefix ${quote(agentDir)} ${name}`;
}

/** A path for a shell. */
function quote(path: string): string {
  return /[^\w./\\:~-]/.test(path) ? `"${path}"` : path;
}
