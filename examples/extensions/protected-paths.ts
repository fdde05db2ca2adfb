// Blocks `edit` and `write` on files that the model is not to touch, also through symbolic links.
// PI_PROTECTED_PATHS lists them, divided as in PATH, relative to the working folder; what is in a folder is protected with it. The
// default is `.env`, `.git` and `node_modules`. Shell commands are not read: use permission-gate.ts or approvals for those.
import { realpath } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, delimiter, dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { ExtensionApi } from "@pikit/coding-agent";

export default function (pi: ExtensionApi): void {
  const byDefault = [".env", ".git", "node_modules"].join(delimiter);
  const protectedPaths = (process.env.PI_PROTECTED_PATHS ?? byDefault).split(delimiter);
  pi.on("tool_call", async ({ toolName, args }, { cwd }) => {
    if (toolName !== "edit" && toolName !== "write") return;
    const targets = await Promise.all(readings(String(args.path)).flatMap((path) => spellings(resolve(cwd, path))));
    for (const name of protectedPaths) {
      const places = await Promise.all(spellings(resolve(cwd, name)));
      if (!targets.some((target) => places.some((place) => isWithin(place, target)))) continue;
      return { block: true, reason: `${args.path} is protected (${name}) and stays as it is. Ask the user to change it.` };
    }
  });
}

/** Every path that the tools may take this for: they know `~`, file URLs, a leading `@` and quotes. */
function readings(path: string): string[] {
  if (path.startsWith("file://")) return [fileURLToPath(path)];
  const bare = path.replace(/^(["'`])(.+)\1$/s, "$2");
  return [path, bare, bare.replace(/^@/, "")].map((text) => text.replace(/^~(?=\/|$)/, homedir()));
}

/** The path as it is written, and where it leads. */
function spellings(path: string): (string | Promise<string>)[] {
  return [path, followLinks(path)];
}

/** A file that is still to be made has only a folder whose links can be followed. */
async function followLinks(path: string): Promise<string> {
  const parent = dirname(path);
  return realpath(path).catch(async () => (parent === path ? path : join(await followLinks(parent), basename(path))));
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && resolve(folder, way) === path;
}
