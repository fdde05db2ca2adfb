import { resolve } from "node:path";

/** The input or output of a command, as far as it affects the risk. */
export type Input =
  | { kind: "nothing" }
  | { kind: "text"; text: string }
  /** The content of an existing file. */
  | { kind: "file" }
  /** Names of files, as paths with wildcards. */
  | { kind: "files"; paths: readonly string[] }
  | { kind: "processes" }
  | { kind: "download" }
  | { kind: "unknown" };

export const nothing: Input = { kind: "nothing" };
export const unknown: Input = { kind: "unknown" };

/** The output of two commands, one after the other. */
export function mergeOutputs(first: Input, second: Input): Input {
  if (first.kind === "nothing") return second;
  if (second.kind === "nothing") return first;
  if (first.kind === "download" || second.kind === "download") return { kind: "download" };
  if (first.kind === "text" && second.kind === "text") return { kind: "text", text: first.text + second.text };
  if (first.kind === "files" && second.kind === "files") {
    return { kind: "files", paths: [...new Set([...first.paths, ...second.paths])] };
  }
  return first.kind === second.kind ? first : unknown;
}

const maxValues = 64;
const maxContents = 1000;

/** The definitions of a script so far, in all its shells. */
class Definitions {
  /** The possible values by name; undefined in the list is a value that is only known at run time. */
  readonly variables = new Map<string, (string | undefined)[]>();
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
  /** Absolute; undefined if it is only known at run time. */
  folder: string | undefined;
  readonly home: string;
  readonly place: Place;
  readonly definitions: Definitions;

  constructor(at: { folder: string | undefined; home: string; place?: Place }, definitions = new Definitions()) {
    this.folder = at.folder;
    this.home = at.home;
    this.place = at.place ?? "here";
    this.definitions = definitions;
  }

  /** Creates a subshell in the same folder; its `cd` does not affect this shell. */
  fork(at: { folder?: string | undefined; place?: Place } = {}): Shell {
    return new Shell({ folder: this.folder, home: this.home, place: this.place, ...at }, this.definitions);
  }

  /** Returns all values that were assigned to a variable; undefined if there are none. */
  variable(name: string): readonly (string | undefined)[] | undefined {
    const values = this.definitions.variables.get(name);
    if (values) return values;
    if (name === "PWD") return [this.folder];
    return name === "HOME" ? [this.home] : name === "TMPDIR" ? ["/tmp"] : undefined;
  }

  /** Adds values to a variable. All values count, because the order of assignments is not tracked. */
  assign(name: string, values: readonly (string | undefined)[]): void {
    const all = [...new Set([...(this.definitions.variables.get(name) ?? []), ...values])];
    this.definitions.variables.set(name, all.length > maxValues ? [undefined] : all);
  }

  /** The folder after `cd`, in which `..` removes the last name, as in shells. */
  enter(path: string): string | undefined {
    if (path.startsWith("/")) return resolve(path);
    return this.folder === undefined ? undefined : resolve(this.folder, path);
  }

  /**
   * The absolute path for the system, with `..` as given, because it may stand behind a link.
   *
   * @returns undefined for a relative path in an unknown folder, and for a path through a link that the script makes.
   */
  resolve(path: string): string | undefined {
    const full = path.startsWith("/") ? path : this.folder === undefined ? undefined : `${this.folder}/${path}`;
    if (full === undefined || this.definitions.links.size === 0) return full;
    const plain = resolve(full);
    return [...this.definitions.links].some((link) => plain.startsWith(`${link}/`) || full.startsWith(`${link}/`))
      ? undefined
      : full;
  }

  /** Records the content of a file that the script writes, or of all files in a folder. */
  remember(path: string | undefined, content: Input): void {
    const { contents } = this.definitions;
    const place = path === undefined ? undefined : this.enter(path);
    if (place !== undefined && contents.size < maxContents) contents.set(place, content);
  }

  /** The content of a file that the script has written; undefined for other files. */
  contentOf(path: string | undefined): Input | undefined {
    const { contents } = this.definitions;
    if (path === undefined || contents.size === 0) return undefined;
    for (let place = this.enter(path); place !== undefined && place !== "/"; place = resolve(place, "..")) {
      const content = contents.get(place);
      if (content) return content;
    }
    return undefined;
  }

  isDownload(path: string | undefined): boolean {
    return this.contentOf(path)?.kind === "download";
  }
}
