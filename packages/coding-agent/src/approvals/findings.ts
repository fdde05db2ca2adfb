import { relative, resolve } from "node:path";
import { isBuilt, isPrecious, type Location, Places, startFile } from "./places.ts";
import { type Effect, type Part, type PathEffect, type RiskKind, risks, shorten } from "./shell/effects.ts";
import type { ShellPlace } from "./shell/read-effects.ts";

/** One reason to ask about a call. */
export interface Finding {
  /** Text after "it". */
  reason: string;
  /** Whether `on-risk` asks; otherwise only `unless-safe` does. */
  isRisky: boolean;
  /** The command that does it. */
  part?: Part | undefined;
  /** The file that it is about: absolute, with links resolved as far as known. */
  path?: string | undefined;
  /**
   * The kind of effect, if a sandbox may contain it. `outside`: it changes something outside the working folder. `later`: it changes a file with
   * which something runs later.
   */
  kind?: RiskKind | "outside" | "later" | undefined;
}

/** Everything that decisions about a command line need. */
export interface LineFindings {
  findings: readonly Finding[];
  parts: readonly Part[];
  /** The files that the line reads, writes and deletes, for rules about files. */
  touched: readonly TouchedPath[];
}

/** A file that a call reads, writes or deletes. */
export interface TouchedPath extends Pick<PathEffect, "kind" | "isWide"> {
  /** Absolute; of writes and deletes, with links resolved. Of a path with wildcards, the part before them. */
  path: string;
  part: Part | undefined;
}

/** Finds the reasons to ask about a command line. */
export async function judgeLine(command: string, place: ShellPlace): Promise<LineFindings> {
  // Loaded with the first command.
  const { readEffects } = await import("./shell/read-effects.ts");
  const { effects, parts } = await readEffects(command, place);
  const findings: Finding[] = [];
  const touched: TouchedPath[] = [];
  const hasPaths = effects.some(({ kind }) => kind === "write" || kind === "delete");
  const places = hasPaths ? await Places.of(place) : undefined;
  const known = new Map<string, ReturnType<Places["find"]>>();
  for (const effect of effects) {
    if (!("source" in effect)) {
      findings.push(judgeOther(effect));
      continue;
    }
    if (effect.kind === "read" || places === undefined) {
      if (effect.path !== undefined)
        touched.push({ kind: "read", path: resolve(effect.path), isWide: effect.isWide, part: effect.part });
      continue;
    }
    const { path, isWide, part } = effect;
    const key = `${effect.kind === "delete"}${path}`;
    const placed = path === undefined ? undefined : (known.get(key) ?? places.find(path, { isEntry: effect.kind === "delete" }));
    if (placed) known.set(key, placed);
    const { location, target } = (await placed) ?? { location: "unknown" as const, target: undefined };
    if (target !== undefined) touched.push({ kind: effect.kind, path: target, isWide, part });
    const finding = judgePath(effect, location, target, places);
    if (finding) findings.push(finding);
  }
  return { findings, parts, touched };
}

function judgeOther({ kind, what, part }: Exclude<Effect, PathEffect>): Finding {
  if (kind === "network") return { reason: `uses the network: ${what}`, isRisky: false, part };
  if (kind === "unknown") return { reason: `runs code that pi does not know: ${what}`, isRisky: false, part };
  const risk = kind as RiskKind;
  return { reason: `${risks[risk]}: ${shorten(what)}`, isRisky: true, part, kind: risk };
}

function judgePath(
  effect: Effect & PathEffect,
  location: Location,
  target: string | undefined,
  places: Places,
): Finding | undefined {
  const { folder } = places;
  const { kind, path, source, what, part, isWide } = effect;
  const risky = (reason: string): Finding => ({ reason, isRisky: true, part, path: target });
  if (location === "unknown") return risky(`${verbs[kind]} a path that is only known at run time: ${shorten(path ?? source)}`);
  if (location === "outside") {
    return { ...risky(`changes something outside the working folder: ${plain(path)}`), kind: "outside" };
  }
  if (kind === "delete" && !mayDelete(effect, location, target ?? "", places)) {
    return risky(`deletes more than build output and temporary files: ${what}`);
  }
  const later = location === "inside" ? judgeStartFile(relative(folder, target ?? ""), target) : undefined;
  if (later) return { ...later, part };
  // A deletion can be undone only by a new build.
  const inside = relative(folder, path ?? "");
  // Files with names of build output, in all folders, may be others, too. In a folder of build output they are not.
  const isOneBuild = isBuilt(inside) && (!isWide || !inside.includes("*/") || isBuilt(`${inside}/x`));
  return kind === "delete" && location === "inside" && !isOneBuild
    ? { reason: `deletes: ${what}`, isRisky: false, part, path: target }
    : undefined;
}

const verbs = { read: "reads", write: "changes", delete: "changes" };

/** The path without `.` and doubled slashes. `..` stays, because it may stand behind a link. */
function plain(path: string | undefined): string {
  return shorten((path ?? "").replace(/\/(\.?\/)+/g, "/").replace(/(.)\/\.?$/, "$1"));
}

/** Whether a deletion is an ordinary change: of build output, of temporary files, and of a few files by their names. */
function mayDelete({ path = "", isWide }: PathEffect, location: Location, target: string, places: Places): boolean {
  const pattern = path.slice(path.search(/\/[^/]*[*?[]|$/));
  // All temporary files also belong to other programs.
  if (location === "temporary") return !places.isTemporaryFolder(target) || /[^*/.]/.test(pattern);
  const inside = relative(places.folder, target) + pattern;
  if (inside === "" || inside.startsWith(".git/") || inside === ".git") return inside.endsWith(".lock");
  if (isBuilt(inside)) return true;
  return !isWide && !isPrecious(inside);
}

/** A file with which something runs later is more than a file: a hook of Git, a setting of pi, of a shell or of an editor. */
export function judgeStartFile(path: string, target: string | undefined): Finding | undefined {
  const kind = startFile(path);
  return (
    kind && { reason: `changes what runs later without a question: ${path}`, isRisky: kind === "hook", path: target, kind: "later" }
  );
}
