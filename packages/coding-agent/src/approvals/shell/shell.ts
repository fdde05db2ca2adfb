import { resolve } from "node:path";

/** The input or output of a command, as far as it affects the risk. In a text, paths with wildcards stand for names of files. */
export type Input =
  | { kind: "text"; text: string }
  /** `file` is the content of an existing file, `processes` are process ids. */
  | { kind: "nothing" | "file" | "processes" | "download" | "unknown" };

export const nothing: Input = { kind: "nothing" };
export const unknown: Input = { kind: "unknown" };

/** The output of two commands, one after the other. */
export function mergeOutputs(first: Input, second: Input): Input {
  if (first.kind === "nothing") return second;
  if (second.kind === "nothing") return first;
  if (first.kind === "download" || second.kind === "download") return { kind: "download" };
  if (first.kind === "text" && second.kind === "text") return { kind: "text", text: first.text + second.text };
  return first.kind === second.kind ? first : unknown;
}

/** Stands in a text for a part that is only known at run time. A shell accepts no command with this character. */
export const hole = "\0";

export function isKnown(text: string): boolean {
  return !text.includes(hole);
}

const maxValues = 64;
const maxContents = 1000;

/** The definitions of a script so far, in all its shells. */
class Definitions {
  /** All values that each variable was assigned, because the order of assignments is not tracked. */
  readonly variables = new Map<string, readonly string[]>();
  readonly aliases = new Map<string, string>();
  /** The names of functions, whose text was read where they are defined. */
  readonly functions = new Set<string>();
  /** The files and folders that the script writes, with their contents; absolute. */
  readonly contents = new Map<string, Input>();
  /** The links that the script makes; absolute. */
  readonly links = new Set<string>();
}

/** Where a shell runs: on this machine, in a container on it, or on another machine. */
export type Place = "here" | "container" | "remote";

/** A shell or subshell: its folder, and the definitions of its script. */
export class Shell {
  /** Absolute; a hole if it is only known at run time. */
  folder: string;
  readonly home: string;
  readonly place: Place;
  readonly definitions: Definitions;

  constructor(at: { folder: string; home: string; place?: Place }, definitions = new Definitions()) {
    this.folder = at.folder;
    this.home = at.home;
    this.place = at.place ?? "here";
    this.definitions = definitions;
  }

  /** Creates a subshell in the same folder; its `cd` does not affect this shell. */
  fork(at: { folder?: string; place?: Place } = {}): Shell {
    return new Shell({ folder: this.folder, home: this.home, place: this.place, ...at }, this.definitions);
  }

  /** Returns all values that were assigned to a variable; a hole if there are none. */
  variable(name: string): readonly string[] {
    const known: Record<string, string> = { PWD: this.folder, HOME: this.home, TMPDIR: "/tmp" };
    return this.definitions.variables.get(name) ?? [Object.hasOwn(known, name) ? (known[name] as string) : hole];
  }

  assign(name: string, values: readonly string[]): void {
    const all = [...new Set([...(this.definitions.variables.get(name) ?? []), ...values])];
    this.definitions.variables.set(name, all.length > maxValues ? [hole] : all);
  }

  /** The folder after `cd`, in which `..` removes the last name, as in shells. */
  enter(path: string): string {
    const full = path.startsWith("/") ? path : `${this.folder}/${path}`;
    return isKnown(full) ? resolve(full) : hole;
  }

  /**
   * The absolute path for the system, with `..` as given, because it may stand behind a link.
   *
   * @returns undefined for a path that is only known at run time, and for one through a link that the script makes.
   */
  resolve(path: string): string | undefined {
    const full = path.startsWith("/") ? path : `${this.folder}/${path}`;
    if (!isKnown(full)) return undefined;
    const plain = this.enter(path);
    const isLinked = [...this.definitions.links].some((link) => plain.startsWith(`${link}/`) || full.startsWith(`${link}/`));
    return isLinked ? undefined : full;
  }

  /** Records the content of a file that the script writes, or of all files in a folder. */
  remember(path: string, content: Input): void {
    const { contents } = this.definitions;
    const place = this.enter(path);
    if (isKnown(place) && contents.size < maxContents) contents.set(place, content);
  }

  /** The content of a file that the script has written; undefined for other files. */
  contentOf(path: string): Input | undefined {
    const { contents } = this.definitions;
    if (contents.size === 0) return undefined;
    for (let place = this.enter(path); isKnown(place) && place !== "/"; place = resolve(place, "..")) {
      const content = contents.get(place);
      if (content) return content;
    }
    return undefined;
  }
}
