import { AsyncLocalStorage } from "node:async_hooks";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import type { Extension } from "./extension.ts";
import { setTeller, type UncaughtKind } from "./uncaught.ts";

/** Errors of one extension that are told one by one, between two runs; of the later ones, every time that their number has doubled. */
const toldSingly = 20;

/** The extension that has started what is at work. */
const current = new AsyncLocalStorage<Extension>();
/** The files that extensions are made of. Late timers may outlive their session, which must not stay in memory for that. */
const owners = new Map<string, WeakRef<Extension>>();
const failures = new WeakMap<Extension, number>();

setTeller(tellCulprit);

/** Does an extension's work: what nobody catches of it, also later on, is told as its error. */
export function asExtension<T>(extension: Extension, work: () => T): T {
  return current.run(extension, work);
}

/** Remembers that an extension is made of these files. */
export function ownFiles(extension: Extension, files: Iterable<string>): void {
  for (const file of files) owners.set(file, new WeakRef(extension));
}

/** A new run begins: its errors are told one by one again. */
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
  // A run that an extension has started is ours again: what fails there without being meant for the caller is a fault of ours.
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
  extension.report(kind, count > toldSingly ? `${message} (${count} errors by now; not all of them are told)` : message);
}

/** The lines of a stack that name places: not the message, which may quote a path. */
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
      return []; // part of our files
    }
  });
  return frames.some((frame) => ourFolders?.some((folder) => frame.includes(folder)));
}

/** An error of our interface, such as a prompt that was refused: who called has not waited for the answer. */
function isMeantForCaller(error: unknown): boolean {
  return typeof error === "object" && error !== null && Symbol.for("pikit.error") in error;
}
