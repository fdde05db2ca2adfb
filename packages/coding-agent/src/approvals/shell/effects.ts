/** The effects for which `on-risk` asks, as text after "it". Deletes and writes depend on their paths, see `findings.ts`. */
export const risks = {
  device: "writes to a device",
  permissions: "changes permissions or ownership recursively",
  history: "rewrites Git history",
  discard: "discards uncommitted work",
  forcePush: "overwrites or deletes data on a Git server",
  download: "runs what it downloads",
  kill: "kills processes by name or search",
  otherUser: "runs as another user",
  system: "changes the disk or the system",
  remote: "changes something on a server, or publishes it",
  data: "deletes data that is not in files",
  inlineCode: "runs code that deletes or writes files, or starts programs",
  unknownCommand: "runs commands that are only known at run time",
  unreadable: "cannot be understood",
} as const;

export type RiskKind = keyof typeof risks;

/** A command of a line: with its arguments, after expansion. */
export interface Part {
  /** The first one is the name as given; arguments that are only known at run time are as in the text. */
  words: readonly string[];
  /** The command that runs this one, such as `xargs`; undefined for a command of the line itself. */
  within: Part | undefined;
}

/** A path that a command reads, writes or deletes. */
export interface PathEffect {
  kind: "read" | "write" | "delete";
  /** Absolute, with `..` as given and wildcards; links are not resolved. Undefined if it is only known at run time. */
  path: string | undefined;
  /** The path in the text. */
  source: string;
  /** Whether it is about all below the path, or about many paths. */
  isWide: boolean;
  /** The command in words. */
  what: string;
}

/**
 * Something that a command does. `network`: it talks to other machines, and changes nothing there that needs an approval. `unknown`: pi does
 * not know the command, or it runs code of the project.
 */
export type Effect = { part: Part | undefined } & (PathEffect | { kind: RiskKind | "network" | "unknown"; what: string });

const maxWhat = 80;
const maxEffects = 3000;
/** Maximum of read characters and tried values, including repetitions. Even a command of the maximum length needs only a fraction. */
const maxWork = 1_000_000;

/** The analysis of the command would take too long. */
export class TooComplex extends Error {}

/** Collects the effects of a command line. */
export class EffectList {
  readonly effects: Effect[] = [];
  readonly parts: Part[] = [];
  readonly #seen = new Set<string>();
  #work = 0;

  /** @throws {TooComplex} When there are too many. */
  add(effect: Effect): void {
    const what = shorten(effect.what);
    const key = `${effect.kind}\0${what}\0${"source" in effect ? `${effect.path ?? effect.source}\0${effect.isWide}` : ""}`;
    // The same effect of two commands counts twice, because a rule may allow only one of them.
    if (this.#seen.has(key) && this.effects.at(-1)?.part === effect.part) return;
    this.#seen.add(key);
    this.effects.push({ ...effect, what });
    if (this.effects.length > maxEffects) throw new TooComplex(`it has more than ${maxEffects} effects`);
  }

  /** @throws {TooComplex} When the total work exceeds the limit. */
  spend(work: number): void {
    this.#work += work;
    if (this.#work > maxWork) throw new TooComplex("it repeats itself too often");
  }
}

/** Shortens a text to one line for a question. */
export function shorten(text: string): string {
  const line = text
    .slice(0, maxWhat * 4)
    .replaceAll("\0", "…")
    .replace(/\s+/g, " ")
    .trim();
  return line.length > maxWhat ? `${line.slice(0, maxWhat - 1)}…` : line;
}
