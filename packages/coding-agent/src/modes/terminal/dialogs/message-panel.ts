import { matchesKey } from "../library.ts";
import { cutLine, titleLine, toSafeLine } from "../lines.ts";
import type { Panel } from "../panel.ts";
import type { PanelStage } from "../stage.ts";
import type { Theme } from "../theme/theme.ts";
import { isCancel } from "./keys.ts";
import { ScrolledText } from "./scrolled-text.ts";

interface MessagePanelOptions {
  theme: Theme;
  title: string;
  text: string;
  /** Called when the user closes the panel. */
  onClose(): void;
}

/** A text to read, such as the list of commands. Esc, Enter and `q` close it. */
class MessagePanel implements Panel {
  readonly #options: MessagePanelOptions;
  readonly #text: ScrolledText;

  constructor(options: MessagePanelOptions) {
    this.#options = options;
    this.#text = new ScrolledText(options.theme, options.text, { isTable: true });
  }

  render(width: number, rows: number): string[] {
    const { theme, title } = this.#options;
    const body = this.#text.render(width, Math.max(1, rows - 2));
    return [titleLine(theme, toSafeLine(title), width), ...body, theme.dim(cutLine("Esc closes this", width))];
  }

  handleKey(key: string): void {
    if (this.#text.handleKey(key)) return;
    if (isCancel(key) || matchesKey(key, "enter") || matchesKey(key, "q")) this.#options.onClose();
  }
}

/** Shows a text. Resolves when the user has closed it. */
export function showMessage(stage: PanelStage, title: string, text: string): Promise<void> {
  return new Promise((resolve) => {
    const close = stage.open(
      new MessagePanel({
        ...{ theme: stage.theme, title, text },
        onClose() {
          close();
          resolve();
        },
      }),
    );
  });
}
