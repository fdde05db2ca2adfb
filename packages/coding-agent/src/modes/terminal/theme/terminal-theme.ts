import { UiTheme } from "../../../theme/ui-theme.ts";
import { backgroundOf, backgroundQuery, readBackground } from "./background.ts";
import { checkOverrides } from "./check-overrides.ts";
import { colorsOf } from "./color-support.ts";
import { createTheme, type ThemeOptions, type ThemeOverrides } from "./create-theme.ts";
import { createUiTheme } from "./create-ui-theme.ts";
import type { Theme } from "./theme.ts";
import type { ThemeFile } from "./theme-file.ts";

/** The themes for the terminal of the process, ours and that of extensions. They become light or dark when the terminal has told its background. */
export class TerminalTheme {
  /** Has always the styles of the moment. */
  readonly theme: Theme;
  /** The same for extensions. Its methods can be taken out of it. */
  readonly ui: UiTheme;
  /** Lines of text about colours in the settings that are not used. */
  problems: readonly string[];
  readonly #colors: number;
  #overrides: ThemeOverrides;
  /** A built-in theme, whatever the background is. */
  #isLight: boolean | undefined;
  #background: boolean;
  #file: ThemeFile | undefined;
  #current: Theme;
  #currentUi: UiTheme | undefined;

  constructor(overrides: ThemeOverrides = {}, env: NodeJS.ProcessEnv = process.env) {
    this.#overrides = overrides;
    this.#colors = colorsOf(env, true);
    this.#background = backgroundOf(env) ?? false;
    this.problems = checkOverrides(overrides);
    this.#current = this.#create();
    this.theme = new Proxy(this.#current, { get: (_first, name) => Reflect.get(this.#current, name) });
    const stand = new UiTheme({}, {}, "none");
    this.ui = new Proxy(stand, { get: (_first, name) => memberOf(this.#ui(), name) });
  }

  /** Uses other colours of the settings from now on. */
  override(overrides: ThemeOverrides = {}): void {
    this.#overrides = overrides;
    this.problems = checkOverrides(overrides);
    this.#update();
  }

  /** Uses the colours of a file; undefined: built-in ones. `isLight`: those for that background; undefined: for that of the terminal. */
  choose(file: ThemeFile | undefined, isLight?: boolean): void {
    this.#file = file;
    this.#isLight = isLight;
    this.#update();
  }

  /** A theme for extensions that is not in use. */
  createUi(file: ThemeFile | undefined, isLight?: boolean): UiTheme {
    const { colors, overrides } = this.#options;
    return createUiTheme({ colors, overrides, isLight: isLight ?? this.#options.isLight }, file);
  }

  /** Whether the background of the terminal is light. */
  get hasLightBackground(): boolean {
    return this.#background;
  }

  /** The question for the background; empty if there are no colours. */
  get query(): string {
    return this.#colors > 0 ? backgroundQuery : "";
  }

  /** Takes the terminal's answer. Returns false for a key. */
  take(key: string): boolean {
    const isLight = readBackground(key);
    if (isLight === undefined) return false;
    this.#background = isLight;
    this.#update();
    return true;
  }

  get #options(): ThemeOptions {
    const isLight = this.#isLight ?? this.#background;
    return { colors: this.#colors, isLight, overrides: this.#overrides, file: this.#file?.colors };
  }

  #ui(): UiTheme {
    this.#currentUi ??= this.createUi(this.#file);
    return this.#currentUi;
  }

  #update(): void {
    this.#current = this.#create();
    this.#currentUi = undefined;
  }

  #create(): Theme {
    return createTheme(this.#options);
  }
}

/** A member of the theme; a method belongs to its object also when it was taken out. */
function memberOf(theme: UiTheme, name: string | symbol): unknown {
  const value: unknown = Reflect.get(theme, name, theme);
  return typeof value === "function" ? value.bind(theme) : value;
}
