import { resolve } from "node:path";

/** The input or output of a command, as far as it affects the risk. */
export type Input =
  | { kind: "nothing" }
  | { kind: "text"; text: string }
  /** The content of an existing file. */
  | { kind: "file" }
  /** Names of files below these folders; the names begin with the folder as given. */
  | { kind: "files"; folders: readonly string[] }
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
    return { kind: "files", folders: [...new Set([...first.folders, ...second.folders])] };
  }
  return first.kind === second.kind ? first : unknown;
}

const maxValues = 64;

/** The definitions of a script so far, in all its shells. */
class Definitions {
  /** The possible values by name; undefined in the list is a value that is only known at run time. */
  readonly variables = new Map<string, (string | undefined)[]>();
  readonly aliases = new Map<string, string>();
  /** Absolute paths of downloaded files. */
  readonly downloads = new Set<string>();
}

/** A shell or subshell: its folder, and the definitions of its script. */
export class Shell {
  /** Absolute; undefined if it is only known at run time. */
  folder: string | undefined;
  readonly home: string;
  /** Whether the shell runs in a container, so that its writes do not affect this machine. */
  readonly isElsewhere: boolean;
  readonly definitions: Definitions;

  constructor(place: { folder: string | undefined; home: string; isElsewhere?: boolean }, definitions = new Definitions()) {
    this.folder = place.folder;
    this.home = place.home;
    this.isElsewhere = place.isElsewhere ?? false;
    this.definitions = definitions;
  }

  /** Creates a subshell in the same folder; its `cd` does not affect this shell. */
  fork(place: { folder?: string | undefined; isElsewhere?: boolean } = {}): Shell {
    return new Shell({ folder: this.folder, home: this.home, isElsewhere: this.isElsewhere, ...place }, this.definitions);
  }

  /** Returns all values that were assigned to a variable; undefined if there are none. */
  variable(name: string): readonly (string | undefined)[] | undefined {
    const values = this.definitions.variables.get(name);
    if (values) return values;
    if (name === "PWD") return [this.folder];
    return name === "HOME" ? [this.home] : undefined;
  }

  /** Adds values to a variable. All values count, because the order of assignments is not tracked. */
  assign(name: string, values: readonly (string | undefined)[]): void {
    const all = [...new Set([...(this.definitions.variables.get(name) ?? []), ...values])];
    this.definitions.variables.set(name, all.length > maxValues ? [undefined] : all);
  }

  /** @returns undefined for a relative path if the folder is unknown. */
  resolve(path: string): string | undefined {
    if (path.startsWith("/")) return resolve(path);
    return this.folder === undefined ? undefined : resolve(this.folder, path);
  }

  /** Records that a file was downloaded. */
  remember(path: string | undefined): void {
    const resolved = path === undefined ? undefined : this.resolve(path);
    if (resolved !== undefined) this.definitions.downloads.add(resolved);
  }

  isDownload(path: string | undefined): boolean {
    const resolved = path === undefined ? undefined : this.resolve(path);
    return resolved !== undefined && this.definitions.downloads.has(resolved);
  }
}
