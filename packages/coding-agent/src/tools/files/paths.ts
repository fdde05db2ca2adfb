import { homedir } from "node:os";
import { dirname, join, parse, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { ToolError } from "@pikit/agent";
import type { FileAccess } from "./file-access.ts";
import { localFiles } from "./local-files.ts";

/**
 * Converts a path from the model to an absolute path. Accepts `~`, file URLs, and a leading `@`, with which users mention files (unless that
 * name exists in `cwd`). Relative paths start at `cwd`, not at the working folder of this process.
 *
 * @throws {ToolError} `invalid_path`: the path is empty, contains a NUL, or is a file URL of another host.
 */
export async function expandPath(cwd: string, path: string, files: FileAccess = localFiles): Promise<string> {
  if (path === "" || path.includes("\0"))
    throw new ToolError("invalid_path", "The path is empty or has a NUL character. Give a file's path.");
  if (path.startsWith("file://")) return resolve(cwd, fromUrl(path));
  const plain = path.startsWith("@") && !(await exists(files, resolve(cwd, firstSegment(path)))) ? path.slice(1) : path;
  if (plain === "~" || plain.startsWith("~/")) return join(files.homeFolder ?? homedir(), plain.slice(1));
  return resolve(cwd, plain);
}

/**
 * Like `expandPath`, for a file that should exist. Models spell some names differently from the disk, so if a name is missing, this function
 * also accepts one that differs only in the kind of space or apostrophe or in Unicode normalisation, and a path in quotes. Without such a
 * name the path is returned unchanged.
 */
export async function findExisting(cwd: string, path: string, files: FileAccess = localFiles): Promise<string> {
  const exact = await expandPath(cwd, path, files);
  if (await exists(files, exact)) return exact;
  const unquoted = /^(["'`])(.+)\1$/s.exec(path)?.[2];
  if (unquoted !== undefined) {
    const inner = await expandPath(cwd, unquoted, files);
    if (await exists(files, inner)) return inner;
  }
  return (await findLookAlike(files, exact)) ?? exact;
}

async function findLookAlike(files: FileAccess, path: string): Promise<string | undefined> {
  const { root } = parse(path);
  let found = root;
  for (const name of path.slice(root.length).split(sep)) {
    const exact = join(found, name);
    if (await exists(files, exact)) {
      found = exact;
      continue;
    }
    const entries = await files.readdir(found).catch(() => []);
    const [match, ...others] = entries.filter((entry) => normalise(entry.name) === normalise(name));
    if (match === undefined || others.length > 0) return undefined;
    found = join(found, match.name);
  }
  return found;
}

function normalise(name: string): string {
  return name
    .normalize("NFC")
    .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " ")
    .replace(/[\u2018\u2019\u02bc]/g, "'");
}

function fromUrl(url: string): string {
  try {
    return fileURLToPath(url);
  } catch (cause) {
    throw new ToolError("invalid_path", `"${url}" is not the URL of a local file. Give the file's path instead.`, { cause });
  }
}

function firstSegment(path: string): string {
  const parent = dirname(path);
  return parent === "." || parent === path ? path : firstSegment(parent);
}

async function exists(files: FileAccess, path: string): Promise<boolean> {
  // Does not follow links, because a name also exists if it is a dangling link.
  return files.lstat(path).then(
    () => true,
    () => false,
  );
}
