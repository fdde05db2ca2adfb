import type { UiComponent } from "../../../terminal-interface.ts";
import type { Theme } from "../theme/theme.ts";
import { renderComponent } from "./component-lines.ts";

export interface ShownComponentOptions {
  theme: Theme;
  /** Maximum number of lines that are shown. */
  most: number;
  /** Called once, with the error of a component that fails. It is not rendered again. */
  onFailure(error: unknown): void;
}

/** A component of an extension in a fixed place, such as a widget. */
export class ShownComponent {
  readonly #component: UiComponent;
  readonly #options: ShownComponentOptions;
  #isOver = false;

  constructor(component: UiComponent, options: ShownComponentOptions) {
    this.#component = component;
    this.#options = options;
  }

  lines(width: number): string[] {
    if (this.#isOver) return [];
    try {
      return renderComponent(this.#component, width, this.#options.theme).slice(0, this.#options.most);
    } catch (error) {
      this.#isOver = true;
      this.#options.onFailure(error);
      return [];
    }
  }

  /** The colours have changed. */
  invalidate(): void {
    if (!this.#isOver) this.#component.invalidate?.();
  }

  dispose(): void {
    this.#isOver = true;
    this.#component.dispose?.();
  }
}
