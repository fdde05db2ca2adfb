import type { UiComponent } from "../../../terminal-interface.ts";
import type { Panel } from "../panel.ts";
import type { Theme } from "../theme/theme.ts";
import { renderComponent } from "./component-lines.ts";

/** A component of an extension in place of the editor. */
export class ComponentPanel implements Panel {
  readonly #component: UiComponent;
  readonly #theme: Theme;

  constructor(component: UiComponent, theme: Theme) {
    this.#component = component;
    this.#theme = theme;
  }

  render(width: number, rows: number): string[] {
    return renderComponent(this.#component, width, this.#theme).slice(-rows);
  }

  handleKey(key: string): void {
    this.#component.handleInput?.(key);
  }
}
