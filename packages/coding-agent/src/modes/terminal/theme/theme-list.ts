import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readJsonFile } from "../../../config/json-file.ts";
import { suggest } from "../../../suggest.ts";
import type { UiTheme } from "../../../theme/ui-theme.ts";
import type { TerminalTheme } from "./terminal-theme.ts";
import { readThemeFile, type ThemeFile } from "./theme-file.ts";

/** Maximum number of theme files that are read. */
const maxFiles = 200;
/** The themes without a file, and whether they are for a light background. */
const builtIn: Readonly<Record<string, boolean>> = { dark: false, light: true };

/** The themes that can be chosen: built-in ones, and those of files. Files are read when the list is first used. */
export class ThemeList {
  readonly #theme: TerminalTheme;
  readonly #places: string[];
  /** The name that was chosen, and has no theme yet. */
  #wanted: string | undefined;
  #files: Map<string, ThemeFile> | undefined;
  /** Lines about files that are not valid, since the last time they were read. */
  #problems: string[] = [];

  /** @param places - Folders of theme files, and files. Of two themes with the same name the first counts. */
  constructor(theme: TerminalTheme, places: readonly string[]) {
    this.#theme = theme;
    this.#places = [...places];
  }

  /** Adds further places. Returns whether a theme is now used that was chosen before. */
  add(places: readonly string[]): boolean {
    const added = places.filter((place) => !this.#places.includes(place)).slice(0, Math.max(0, maxFiles - this.#places.length));
    if (added.length === 0) return false;
    this.#places.push(...added);
    this.#files = undefined;
    return this.#wanted !== undefined && this.choose(this.#wanted) === undefined;
  }

  list(): { name: string; path: string | undefined }[] {
    const own = Object.keys(builtIn).map((name) => ({ name, path: undefined }));
    return [...own, ...[...this.#read().values()].map(({ name, path }) => ({ name, path }))];
  }

  find(name: string): UiTheme | undefined {
    if (Object.hasOwn(builtIn, name)) return this.#theme.createUi(undefined, builtIn[name]);
    const file = this.#read().get(name);
    return file && this.#theme.createUi(file);
  }

  /**
   * Uses a theme: its name, `light name/dark name`, or an object.
   *
   * @returns A sentence about why it cannot be used; undefined if it is used.
   */
  choose(theme: string | UiTheme): string | undefined {
    if (typeof theme !== "string") {
      this.#theme.choose({ name: theme.name ?? "", path: theme.sourcePath, colors: theme.colors });
      return undefined;
    }
    this.#wanted = undefined;
    const [forLight = "", forDark] = theme.split("/");
    const name = forDark === undefined || this.#theme.hasLightBackground ? forLight : forDark;
    if (Object.hasOwn(builtIn, name)) {
      this.#theme.choose(undefined, forDark === undefined ? builtIn[name] : undefined);
      return undefined;
    }
    const file = this.#read().get(name);
    if (file) {
      this.#theme.choose(file);
      return undefined;
    }
    this.#wanted = theme;
    return this.#describeMissing(name);
  }

  /** Reads the files again, and uses a theme of them. */
  reload(chosen: string | undefined): void {
    this.#files = undefined;
    if (chosen === undefined) this.#theme.choose(undefined);
    else this.choose(chosen);
  }

  /** A line for each file that was read and is not valid, and for a chosen theme that does not exist. */
  get problems(): string[] {
    return [...this.#problems, ...(this.#wanted === undefined ? [] : [this.#describeMissing(this.#wanted)])];
  }

  #describeMissing(name: string): string {
    const names = this.list().map((each) => each.name);
    return `There is no theme "${name}".${suggest(name, names) || ` There are: ${names.join(", ")}.`}`;
  }

  #read(): Map<string, ThemeFile> {
    if (this.#files) return this.#files;
    const files = new Map<string, ThemeFile>();
    this.#problems = [];
    for (const path of this.#places.flatMap(filesIn).slice(0, maxFiles)) {
      try {
        const file = readThemeFile(readJsonFile(path), path);
        if (!files.has(file.name)) files.set(file.name, file);
      } catch (error) {
        this.#problems.push(`The theme ${path} cannot be used. ${(error as Error).message}`);
      }
    }
    this.#files = files;
    return files;
  }
}

/** The theme files of a folder; a file itself. Nothing if there is neither. */
function filesIn(place: string): string[] {
  if (place.endsWith(".json")) return [place];
  try {
    return readdirSync(place)
      .filter((name) => name.endsWith(".json"))
      .toSorted()
      .map((name) => join(place, name));
  } catch {
    return []; // there is no such folder
  }
}
