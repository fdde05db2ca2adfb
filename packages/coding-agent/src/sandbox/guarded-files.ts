import { basename, dirname, join } from "node:path";
import { ToolError } from "@pikit/agent";
import type { FileAccess } from "../tools/files/file-access.ts";
import { findWriteTarget } from "../tools/files/write-target.ts";
import { judgeRead, judgeWrite, type Objection, toHostPath } from "./judge-path.ts";
import type { SandboxPlaces } from "./places.ts";

/** What a guard of files needs. */
interface GuardOptions {
  places(): SandboxPlaces;
  /** Whether commands see the temporary folder of the session as /tmp. */
  hasOwnTemporary: boolean;
}

/**
 * The files that tools may use in a sandbox: they write where commands may write, and do not read what commands may not read. Links are resolved
 * before each decision.
 */
export function guardFiles(files: FileAccess, { places, hasOwnTemporary }: GuardOptions): FileAccess {
  const toHost = (path: string) => (hasOwnTemporary ? toHostPath(places(), path) : path);
  const forReading = async (path: string): Promise<string> => {
    const host = toHost(path);
    const target = await files.realpath(host);
    refuse("read", path, judgeRead(places(), target), places());
    return host;
  };
  /** The target of a write, with links resolved. */
  const forWriting = async (path: string): Promise<string> => {
    const target = await findWriteTarget(files, toHost(path));
    const now = places();
    refuse("change", path, target === undefined ? "outside" : judgeWrite(now, target), now);
    return target as string;
  };
  /** The same for an entry of a folder, which may be a link. */
  const entryForWriting = async (path: string) => join(await forWriting(dirname(path)), basename(path));
  const { remove, setMode, makeLink } = files;
  return {
    ...(files.homeFolder === undefined ? {} : { homeFolder: files.homeFolder }),
    stat: (path) => files.stat(toHost(path)),
    lstat: (path) => files.lstat(toHost(path)),
    realpath: (path) => files.realpath(toHost(path)),
    readlink: (path) => files.readlink(toHost(path)),
    readdir: async (path) => files.readdir(await forReading(path)),
    open: async (path) => files.open(await forReading(path)),
    mkdir: async (path) => files.mkdir(await forWriting(path)),
    replace: async (path, content, signal) => files.replace(await forWriting(path), content, signal),
    ...(remove && { remove: async (path: string) => remove(await checkedEntry(path)) }),
    ...(setMode && { setMode: async (path: string, mode: number) => setMode(await forWriting(path), mode) }),
    ...(makeLink && { makeLink: async (path: string, target: string) => makeLink(await checkedEntry(path), target) }),
  };

  async function checkedEntry(path: string): Promise<string> {
    const entry = await entryForWriting(path);
    refuse("change", path, judgeWrite(places(), entry), places());
    return entry;
  }
}

const reasons: Readonly<Record<Objection, (places: SandboxPlaces) => string>> = {
  outside: ({ writable }) => `only ${writable.join(", ")} and /tmp can be written`,
  hidden: () => "it holds keys or other secrets",
  fixed: () => "programs run with it later, such as hooks of Git, editors and shells",
};

/** @throws {ToolError} `sandbox_refused`, if there is an objection. */
function refuse(action: "read" | "change", path: string, objection: Objection | undefined, places: SandboxPlaces): void {
  if (objection === undefined) return;
  throw new ToolError(
    "sandbox_refused",
    `The sandbox does not let you ${action} ${path}: ${reasons[objection](places)}. Work without it, or tell the user what is needed.`,
  );
}
