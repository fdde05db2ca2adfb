import { fileURLToPath } from "node:url";
import { toAbsolute } from "../config/paths.ts";
import { isRemoteSource } from "../config/remote-source.ts";
import { UsageError } from "../errors.ts";

interface AnySource {
  /** The source without a password, for messages. */
  shown: string;
  /** Equal for two sources of the same package: the version and the way to the server do not count. */
  identity: string;
}

/** A package of the npm registry. */
interface NpmSource extends AnySource {
  kind: "npm";
  name: string;
  /** A version, range or tag; undefined for the latest version. */
  version: string | undefined;
}

/** A git repository. */
export interface GitSource extends AnySource {
  kind: "git";
  url: string;
  /** The folder below the folder of all repositories: the host, then the path on it. */
  folder: string;
  /** A branch, tag or commit; undefined for the main branch. */
  ref: string | undefined;
}

/** A file or folder on this machine. */
interface LocalSource extends AnySource {
  kind: "local";
  /** Absolute. */
  path: string;
}

/** A place from which a package comes. */
export type PackageSource = NpmSource | GitSource | LocalSource;

/** The names of npm packages, with their scope. */
const npmNamePattern = /^(?:@[\w~-][\w.~-]*\/)?[\w~][\w.~-]*$/;
/** Versions, ranges and tags; no addresses or paths, which npm would take here, too. */
const npmVersionPattern = /^[\w.^~<>=*+| -]+$/;
/** `host/path` or `user@host:path`, as after `git:`. */
const shortGitPattern = /^(?:(?<user>\w[\w.-]*)@(?<sshHost>[\w.-]+):|(?<host>[\w-]+(?:\.[\w-]+)+(?::\d+)?)\/)(?<path>.+)$/;
/** A name of a folder or file of a repository's path. */
const segmentPattern = /^(?!\.{1,2}$)[\w.~+-]+$/;

/**
 * Reads the source of a package: `npm:name@version`, `git:host/path@ref`, the address of a repository, or a path.
 *
 * @param folder - The folder to which a path is relative; absolute.
 * @throws {UsageError} For an invalid source.
 */
export function parseSource(text: string, folder: string): PackageSource {
  if (text.startsWith("npm:")) return parseNpm(text);
  if (isRemoteSource(text)) return parseGit(text);
  const path = text.startsWith("file://") ? fileURLToPath(text) : toAbsolute(text, folder);
  return { kind: "local", path, shown: text, identity: `local:${path}` };
}

function parseNpm(text: string): NpmSource {
  const spec = text.slice("npm:".length).trim();
  const at = spec.indexOf("@", 1);
  const name = at < 0 ? spec : spec.slice(0, at);
  const version = at < 0 ? undefined : spec.slice(at + 1);
  if (!npmNamePattern.test(name) || (version !== undefined && !npmVersionPattern.test(version)))
    throw invalid(text, "npm:name, npm:@scope/name or npm:name@version");
  return { kind: "npm", name, version, shown: text, identity: `npm:${name}` };
}

function parseGit(text: string): GitSource {
  const address = text.replace(/^git:(?!\/\/)/, "");
  const { url, host, path } = (/^[a-z]+:\/\//.test(address) ? parseUrl : parseShort)(address, text);
  const [name = "", ref] = splitOnce(path, "@");
  const segments = name
    .replace(/^\/+|\/+$/g, "")
    .replace(/\.git$/, "")
    .split("/");
  if (!segments.every((segment) => segmentPattern.test(segment)) || ref === "" || ref?.startsWith("-"))
    throw invalid(withoutPassword(text), "git:host/owner/name, or git:host/owner/name@ref");
  const folder = [host.toLowerCase().replace(":", "-"), ...segments].join("/");
  return { kind: "git", url: url(name), ref, folder, shown: withoutPassword(text), identity: `git:${folder}` };
}

interface GitAddress {
  /** @param path - The path without its ref. */
  url(path: string): string;
  host: string;
  /** With the ref. */
  path: string;
}

function parseUrl(address: string, text: string): GitAddress {
  try {
    const { protocol, username, password, host, pathname } = new URL(address);
    const user = username === "" ? "" : `${username}${password === "" ? "" : `:${password}`}@`;
    if (host !== "") return { url: (path) => `${protocol}//${user}${host}${path}`, host, path: decodeURI(pathname) };
  } catch {
    // reported below
  }
  throw invalid(withoutPassword(text), "an address such as https://host/owner/name");
}

function parseShort(address: string, text: string): GitAddress {
  const { user, sshHost, host, path } = shortGitPattern.exec(address)?.groups ?? {};
  if (path === undefined) throw invalid(text, "git:host/owner/name, or git:user@host:owner/name");
  if (sshHost !== undefined) return { url: (name) => `${user}@${sshHost}:${name}`, host: sshHost, path };
  return { url: (name) => `https://${host}/${name}`, host: host ?? "", path };
}

function splitOnce(text: string, mark: string): [string, string | undefined] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

function withoutPassword(text: string): string {
  return text.replace(/(:\/\/[^/@:]*):[^/@]*@/, "$1:…@");
}

function invalid(shown: string, expected: string): UsageError {
  return new UsageError("invalid_arguments", `"${shown}" is not the source of a package: expected ${expected}, or a path.`);
}
