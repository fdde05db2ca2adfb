import { backgroundOf, backgroundQuery, readBackground } from "./background.ts";
import { checkOverrides } from "./check-overrides.ts";
import { colorsOf } from "./color-support.ts";
import { createTheme, type ThemeOverrides } from "./create-theme.ts";
import type { Theme } from "./theme.ts";

/** The theme for the terminal of the process. It becomes light or dark when the terminal has told its background. */
export class TerminalTheme {
  /** Has always the styles of the moment. */
  readonly theme: Theme;
  /** Lines of text about colours in the settings that are not used. */
  problems: readonly string[];
  readonly #colors: number;
  #overrides: ThemeOverrides;
  #current: Theme;

  constructor(overrides: ThemeOverrides = {}, env: NodeJS.ProcessEnv = process.env) {
    this.#overrides = overrides;
    this.#colors = colorsOf(env, true);
    this.problems = checkOverrides(overrides);
    this.#current = this.#create(backgroundOf(env) ?? false);
    this.theme = new Proxy(this.#current, { get: (_first, name) => Reflect.get(this.#current, name) });
  }

  /** Uses other colours of the settings from now on. */
  override(overrides: ThemeOverrides = {}): void {
    this.#overrides = overrides;
    this.problems = checkOverrides(overrides);
    this.#current = this.#create(this.#current.isLight);
  }

  /** The question for the background; empty if there are no colours. */
  get query(): string {
    return this.#colors > 0 ? backgroundQuery : "";
  }

  /** Takes the terminal's answer. Returns false for a key. */
  take(key: string): boolean {
    const isLight = readBackground(key);
    if (isLight !== undefined) this.#current = this.#create(isLight);
    return isLight !== undefined;
  }

  #create(isLight: boolean): Theme {
    return createTheme({ colors: this.#colors, isLight, overrides: this.#overrides });
  }
}
