import { resolve } from "node:path";

/** What a command reads or prints, as far as it matters. */
export type Input =
  | { kind: "nothing" }
  | { kind: "text"; text: string }
  /** The content of a file that is there already. */
  | { kind: "file" }
  /** Names of files below these folders, which are written as they appear in the names. */
  | { kind: "files"; folders: readonly string[] }
  | { kind: "processes" }
  | { kind: "download" }
  | { kind: "unknown" };

export const nothing: Input = { kind: "nothing" };
export const unknown: Input = { kind: "unknown" };

/** What two commands print, one after the other. */
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

/** What a script has defined so far, in any of its shells. */
class Definitions {
  /** undefined inside: one that is only known at run time. */
  readonly variables = new Map<string, (string | undefined)[]>();
  readonly aliases = new Map<string, string>();
  /** Absolute paths of files that a command has downloaded. */
  readonly downloads = new Set<string>();
}

/** A shell or subshell: where it is, and what its script has defined. */
export class Shell {
  /** Absolute; undefined when only known at run time. */
  folder: string | undefined;
  readonly home: string;
  /** In a container: what it writes is not on this machine. */
  readonly isElsewhere: boolean;
  readonly definitions: Definitions;

  constructor(place: { folder: string | undefined; home: string; isElsewhere?: boolean }, definitions = new Definitions()) {
    this.folder = place.folder;
    this.home = place.home;
    this.isElsewhere = place.isElsewhere ?? false;
    this.definitions = definitions;
  }

  /** One that starts here; its `cd` does not move this one. */
  fork(place: { folder?: string | undefined; isElsewhere?: boolean } = {}): Shell {
    return new Shell({ folder: this.folder, home: this.home, isElsewhere: this.isElsewhere, ...place }, this.definitions);
  }

  /** All values that the variable was seen to get; undefined when it was given none here. */
  variable(name: string): readonly (string | undefined)[] | undefined {
    const values = this.definitions.variables.get(name);
    if (values) return values;
    if (name === "PWD") return [this.folder];
    return name === "HOME" ? [this.home] : undefined;
  }

  /** Adds values to a variable. Which of them it has at a given time is not followed, so all of them count. */
  assign(name: string, values: readonly (string | undefined)[]): void {
    const all = [...new Set([...(this.definitions.variables.get(name) ?? []), ...values])];
    this.definitions.variables.set(name, all.length > maxValues ? [undefined] : all);
  }

  /** @returns undefined for a relative path when the folder is not known. */
  resolve(path: string): string | undefined {
    if (path.startsWith("/")) return resolve(path);
    return this.folder === undefined ? undefined : resolve(this.folder, path);
  }

  /** Notes that the file at this path has been downloaded. */
  remember(path: string | undefined): void {
    const resolved = path === undefined ? undefined : this.resolve(path);
    if (resolved !== undefined) this.definitions.downloads.add(resolved);
  }

  isDownload(path: string | undefined): boolean {
    const resolved = path === undefined ? undefined : this.resolve(path);
    return resolved !== undefined && this.definitions.downloads.has(resolved);
  }
}
