/** What makes a shell command one that a person should see first, in words that follow "it". */
const risks = {
  deletion: "deletes recursively or by force",
  device: "writes to a device",
  unknownTarget: "changes a path that is only known at run time",
  permissions: "changes permissions or ownership recursively",
  history: "rewrites Git history",
  discard: "throws away uncommitted work",
  forcePush: "overwrites or deletes what a Git server holds",
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
/** Characters read and values tried, all repetitions included. A command of the longest accepted length needs a fraction. */
const maxWork = 1_000_000;

/** The command would take too long to understand. */
export class TooComplex extends Error {}

/** What has been found out about one command line. */
export class Findings {
  readonly reasons = new Set<string>();
  /** Absolute paths that it writes to or deletes, as they are written. */
  readonly targets = new Set<string>();
  #work = 0;

  risk(kind: RiskKind, detail: string): void {
    this.reasons.add(`${risks[kind]}: ${shorten(detail)}`);
  }

  /** @throws {TooComplex} When there are more than could be looked up. */
  target(path: string): void {
    this.targets.add(path);
    if (this.targets.size > maxTargets) throw new TooComplex(`it writes to more than ${maxTargets} places`);
  }

  /** @throws {TooComplex} When it was called for more than a command can be worth. */
  spend(work: number): void {
    this.#work += work;
    if (this.#work > maxWork) throw new TooComplex("it repeats itself too often");
  }
}

/** One line, short enough to be read in a question. */
export function shorten(text: string): string {
  const line = text
    .slice(0, maxDetail * 4)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > maxDetail ? `${line.slice(0, maxDetail - 1)}…` : line;
}
