import { accessSync, constants } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, sep } from "node:path";
import { containerFd } from "../exec/container.ts";
import { isInside } from "../tools/files/write-target.ts";
import { foldersIn, kindOf, realPathOf } from "./look.ts";
import type { SandboxPlaces } from "./places.ts";
import { findSockets } from "./sockets.ts";

/** What a program of bubblewrap can do. */
export interface Bubblewrap {
  /** Absolute path. */
  program: string;
  /** Whether it can forbid further user namespaces in the sandbox (0.8.0). */
  canForbidNamespaces: boolean;
}

export interface BubblewrapOptions {
  places: SandboxPlaces;
  /** Whether commands have the network of this machine. */
  hasNetwork: boolean;
  /** The working folder of the command. */
  cwd: string;
  /** Whether the descriptor `containerFd` has a filter of system calls. */
  hasFilter: boolean;
}

/** The folders for temporary files, with links resolved. Commands see that of the session in their place. */
export function temporaryFolders(): string[] {
  const usual = ["/tmp", "/var/tmp"].filter((path) => realPathOf(path) === path);
  const own = realPathOf(tmpdir());
  return own === undefined || isIn(usual, own) ? usual : [...usual, own];
}

/** What programs need of /run: names of servers, and the system's programs on NixOS. All else there are sockets. */
const neededOfRun = ["/run/systemd/resolve/stub-resolv.conf", "/run/systemd/resolve/resolv.conf", "/run/resolvconf"];
const neededOfNix = ["/run/current-system", "/run/opengl-driver"];

/**
 * Parts of /proc that are about the whole machine, and whose files the owner may write without further rights. A root in the sandbox is their
 * owner. bubblewrap itself protects only some of them.
 */
const fixedOfProc = ["/proc/sys", "/proc/irq", "/proc/bus", "/proc/fs", "/proc/scsi", "/proc/acpi", "/proc/sysrq-trigger"];

/** Maximum sockets that are covered one by one; of more, the folder is hidden. */
const maxSocketsOfFolder = 8;

type Mount =
  | { kind: "writable"; path: string; source?: string }
  | { kind: "fixed"; path: string }
  /** An empty folder that cannot be written. */
  | { kind: "empty"; path: string }
  /** A file that cannot be read. */
  | { kind: "covered"; path: string };

/** Of two mounts at one path, the later kind wins. */
const order: readonly Mount["kind"][] = ["writable", "fixed", "empty", "covered"];

/** The arguments that bubblewrap gets before the command, without the name of the program. */
export function bubblewrapArguments(bubblewrap: Bubblewrap, options: BubblewrapOptions): string[] {
  const { cwd, hasNetwork, hasFilter } = options;
  const mounts = listMounts(options);
  return [
    "--unshare-user",
    ...(bubblewrap.canForbidNamespaces ? ["--disable-userns"] : []),
    ...["--unshare-pid", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"],
    // A root in the sandbox needs no rights beyond its own files.
    ...["--cap-drop", "ALL"],
    ...(hasNetwork ? [] : ["--unshare-net"]),
    ...["--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"],
    ...mounts.flatMap(toArguments),
    ...["--chdir", cwd],
    ...(hasFilter ? ["--seccomp", String(containerFd)] : []),
    "--",
  ];
}

function toArguments(mount: Mount): string[] {
  const { kind, path } = mount;
  if (kind === "writable") return [isDevice(path) ? "--dev-bind" : "--bind", mount.source ?? path, path];
  if (kind === "fixed") return ["--ro-bind", path, path];
  // Without the right to write. A read-only mount says so more clearly, but takes bubblewrap half a millisecond each.
  return kind === "empty" ? ["--perms", "0555", "--tmpfs", path] : ["--ro-bind", "/dev/null", path];
}

function isDevice(path: string): boolean {
  return path.startsWith("/dev/");
}

/** All mounts, so that each one comes after those above it. */
function listMounts({ places, hasNetwork }: BubblewrapOptions): Mount[] {
  const temporary = temporaryFolders();
  const runFolders = ["/run", "/var/run"].filter((path) => realPathOf(path) === path);
  const needed = [...(hasNetwork ? neededOfRun : []), ...neededOfNix];
  const mounts: Mount[] = [
    ...temporary.map((path): Mount => ({ kind: "writable", path, source: places.temporary })),
    ...(process.getuid?.() === 0 ? fixedOfProc : []).flatMap((path): Mount[] => (exists(path) ? [{ kind: "fixed", path }] : [])),
    ...runFolders.map((path): Mount => ({ kind: "empty", path })),
    ...needed.flatMap((path): Mount[] => (exists(path) ? [{ kind: "fixed", path }] : [])),
    ...temporary.flatMap((path) => visibleIn(path, places)).map((path): Mount => ({ kind: "fixed", path })),
    ...[...places.writable, ...places.held].map((path): Mount => ({ kind: "writable", path })),
    ...[...places.fixed, ...places.readable].map((path): Mount => ({ kind: "fixed", path })),
    ...places.missing.map((path): Mount => ({ kind: "empty", path })),
    ...places.hidden.filter(isReadable).map((path): Mount => ({ kind: kindOf(path) === "folder" ? "empty" : "covered", path })),
  ];
  const empty = mounts.filter(({ kind }) => kind === "empty").map(({ path }) => path);
  const shown = temporary.flatMap((path) => visibleIn(path, places));
  const isApart = (path: string) => {
    if (isIn([...empty, ...places.writable], path)) return true;
    return isIn(temporary, path) && !isIn(shown, path);
  };
  mounts.push(...coverSockets(isApart));
  return withoutDoubles(mounts);
}

/** What of the machine's temporary folder stays visible: the folder in it to which the working folder and other named ones belong. */
function visibleIn(temporary: string, { writable, readable }: SandboxPlaces): string[] {
  const inside = [...writable, ...readable].filter((path) => isInside(temporary, path) && path !== temporary);
  return [...new Set(inside.map((path) => join(temporary, path.slice(temporary.length + 1).split(sep)[0] ?? "")))];
}

/** What this user cannot read needs no cover. */
function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

function exists(path: string): boolean {
  return kindOf(path) !== undefined;
}

function isIn(folders: readonly string[], path: string): boolean {
  return folders.some((folder) => isInside(folder, path));
}

/** @param isApart - Whether a socket is in a folder that the sandbox does not have, or in one that can be written. */
function coverSockets(isApart: (path: string) => boolean): Mount[] {
  const byFolder = new Map<string, string[]>();
  for (const path of findSockets()) {
    if (isApart(path) || isIn(["/dev", "/proc"], path)) continue;
    byFolder.set(dirname(path), [...(byFolder.get(dirname(path)) ?? []), path]);
  }
  return [...byFolder].flatMap(([folder, paths]): Mount[] =>
    paths.length > maxSocketsOfFolder && foldersIn(folder).length === 0
      ? [{ kind: "empty", path: folder }]
      : paths.map((path): Mount => ({ kind: "covered", path: join(realPathOf(folder) ?? folder, basename(path)) })),
  );
}

function withoutDoubles(mounts: readonly Mount[]): Mount[] {
  const byPath = new Map<string, Mount>();
  for (const mount of mounts) {
    const before = byPath.get(mount.path);
    if (!before || order.indexOf(before.kind) < order.indexOf(mount.kind)) byPath.set(mount.path, mount);
  }
  const depth = ({ path }: Mount) => path.split("/").length;
  // `/` itself has as many parts as `/tmp`.
  return [...byPath.values()].sort((one, other) => depth(one) - depth(other) || one.path.length - other.path.length);
}
