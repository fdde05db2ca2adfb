import { AsyncLocalStorage } from "node:async_hooks";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import type { Extension } from "./extension.ts";
import { setTeller, type UncaughtKind } from "./uncaught.ts";

/** The number of errors of one extension that are reported singly between two runs. Then a report follows each doubling of their number. */
const toldSingly = 20;

/** The extension that started the current asynchronous work. */
const current = new AsyncLocalStorage<Extension>();
/** The files of extensions. Weak references, because timers may outlive a session and must not keep it in memory. */
const owners = new Map<string, WeakRef<Extension>>();
const failures = new WeakMap<Extension, number>();

setTeller(tellCulprit);

/** Calls `work` for an extension. Uncaught errors of the work, also later ones, are reported as errors of the extension. */
export function asExtension<T>(extension: Extension, work: () => T): T {
  return current.run(extension, work);
}

/** Records the files of an extension. */
export function ownFiles(extension: Extension, files: Iterable<string>): void {
  for (const file of files) owners.set(file, new WeakRef(extension));
}

/** Call it before each run, so that errors are reported singly again. */
export function forgetFailures(extensions: readonly Extension[]): void {
  for (const extension of extensions) failures.delete(extension);
}

function tellCulprit(error: unknown, kind: UncaughtKind): boolean {
  const frames = framesOf(error);
  const file = [...owners.keys()].find((owned) => frames.some((frame) => frame.includes(`${owned}:`)));
  if (file !== undefined) {
    tell(owners.get(file)?.deref(), error, kind);
    return true;
  }
  const extension = current.getStore();
  // An extension may start a run of pikit. An error in there that is not meant for the caller is an error of pikit.
  if (!extension || (isOurs(frames) && !isMeantForCaller(error))) return false;
  tell(extension, error, kind);
  return true;
}

function tell(extension: Extension | undefined, error: unknown, kind: UncaughtKind): void {
  if (!extension) return;
  const count = (failures.get(extension) ?? 0) + 1;
  failures.set(extension, count);
  const isDoubled = Number.isInteger(Math.log2(count / toldSingly));
  if (count > toldSingly && !isDoubled) return;
  const message = (error instanceof Error ? error.message : String(error)) || "It failed without a message.";
  extension.report(kind, count > toldSingly ? `${message} (${count} errors so far; not all are reported)` : message);
}

/** The stack frames of an error, without its message, which may contain a path. */
function framesOf(error: unknown): string[] {
  const { stack } = (typeof error === "object" && error !== null ? error : {}) as { stack?: unknown };
  return typeof stack === "string" ? stack.split("\n").filter((line) => /^\s+at /.test(line)) : [];
}

let ourFolders: string[] | undefined;

function isOurs(frames: readonly string[]): boolean {
  ourFolders ??= ["ai", "agent", "coding-agent"].flatMap((name) => {
    try {
      return [dirname(createRequire(import.meta.url).resolve(`@pikit/${name}/package.json`))];
    } catch {
      return []; // bundled into this package
    }
  });
  return frames.some((frame) => ourFolders?.some((folder) => frame.includes(folder)));
}

/** Whether it is an error of pikit's API, such as a refused prompt, whose promise the caller did not await. */
function isMeantForCaller(error: unknown): boolean {
  return typeof error === "object" && error !== null && Symbol.for("pikit.error") in error;
}
