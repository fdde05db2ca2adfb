/** The risks for which a shell command needs an approval, as text after "it". */
const risks = {
  deletion: "deletes recursively or by force",
  device: "writes to a device",
  unknownTarget: "changes a path that is only known at run time",
  permissions: "changes permissions or ownership recursively",
  history: "rewrites Git history",
  discard: "discards uncommitted work",
  forcePush: "overwrites or deletes data on a Git server",
  download: "runs what it downloads",
  kill: "kills processes by name or search",
  otherUser: "runs as another user",
  system: "changes the disk or the system",
  inlineCode: "runs inline code that deletes files or starts programs",
  unknownCommand: "runs commands that are only known at run time",
  unreadable: "cannot be understood",
} as const;

export type RiskKind = keyof typeof risks;

const maxDetail = 80;
const maxTargets = 1000;
/** Maximum of read characters and tried values, including repetitions. Even a command of the maximum length needs only a fraction. */
const maxWork = 1_000_000;

/** The analysis of the command would take too long. */
export class TooComplex extends Error {}

/** The results of the analysis of a command line. */
export class Findings {
  readonly reasons = new Set<string>();
  /** Absolute paths that the command writes to or deletes; links are not resolved. */
  readonly targets = new Set<string>();
  #work = 0;

  risk(kind: RiskKind, detail: string): void {
    this.reasons.add(`${risks[kind]}: ${shorten(detail)}`);
  }

  /** @throws {TooComplex} When there are too many paths to check. */
  target(path: string): void {
    this.targets.add(path);
    if (this.targets.size > maxTargets) throw new TooComplex(`it writes to more than ${maxTargets} places`);
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
    .slice(0, maxDetail * 4)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > maxDetail ? `${line.slice(0, maxDetail - 1)}…` : line;
}
