import { onTestFinished } from "vitest";
import type { DescribingStore } from "../../src/conversation/session-store.ts";
import type { Block } from "../../src/modes/terminal/block.ts";
import { readKeys } from "../../src/modes/terminal/input/keys.ts";
import { CURSOR_MARKER, visibleWidth } from "../../src/modes/terminal/library.ts";
import type { Panel } from "../../src/modes/terminal/panel.ts";
import type { Stage } from "../../src/modes/terminal/stage.ts";
import { createTheme } from "../../src/modes/terminal/theme/create-theme.ts";
import type { AgentSession } from "../../src/session/agent-session.ts";

/** Keys as terminals send them. */
export const keys = {
  ...{ up: "\u001b[A", down: "\u001b[B", right: "\u001b[C", left: "\u001b[D" },
  ...{ pageUp: "\u001b[5~", pageDown: "\u001b[6~", home: "\u001b[H", end: "\u001b[F" },
  ...{ enter: "\r", esc: "\u001b", tab: "\t", backspace: "\u007f", ctrlC: "\u0003", ctrlJ: "\n" },
} as const;

/** A terminal without a screen: panels get its keys, and are rendered when the test looks at them. */
export class FakeStage implements Stage {
  readonly theme = createTheme({ colors: 0, isLight: false });
  readonly keys = readKeys().bindings;
  shortcuts: Stage["shortcuts"] = [];
  readonly panels: Panel[] = [];
  readonly notes: string[] = [];
  readonly blocks: Block[] = [];
  readonly sequences: string[] = [];
  columns = 80;
  rows = 24;
  promptText = "";
  /** How often the conversation was shown anew. */
  shown = 0;
  hasQuit = false;
  store: DescribingStore | undefined;
  /** The themes that were chosen. */
  readonly chosenThemes: unknown[] = [];
  readonly themes: Stage["themes"] = {
    getAllThemes: () => [
      { name: "dark", path: undefined },
      { name: "own", path: "/themes/own.json" },
    ],
    setTheme: (theme) => {
      if (theme === "missing") return { success: false, error: 'There is no theme "missing".' };
      this.chosenThemes.push(theme);
      return { success: true };
    },
  };
  #session: AgentSession | undefined;
  #waiting: (() => void)[] = [];

  constructor(session?: AgentSession) {
    this.#session = session;
  }

  get session(): AgentSession {
    if (!this.#session) throw new Error("this stage has no session");
    return this.#session;
  }

  get isOpen(): boolean {
    return this.#session !== undefined;
  }

  add(block: Block): void {
    this.blocks.push(block);
    this.#changed();
  }

  note(text: string, kind = "info"): void {
    this.notes.push(kind === "info" ? text : `${kind}: ${text}`);
    this.#changed();
  }

  refresh(): void {
    this.#changed();
  }

  open(panel: Panel): () => void {
    this.panels.push(panel);
    this.#changed();
    return () => {
      this.panels.splice(this.panels.indexOf(panel), 1);
      this.#changed();
    };
  }

  get hasPanel(): boolean {
    return this.panels.length > 0;
  }

  setPromptText(text: string): void {
    this.promptText = text;
  }

  addToPrompt(prompts: readonly { text: string; images: readonly unknown[] }[]): void {
    const texts = prompts.map(({ text, images }) => `${text}${images.length > 0 ? ` (${images.length} images)` : ""}`);
    this.promptText = [...texts, this.promptText].filter((text) => text !== "").join("\n\n");
  }

  async reloadSettings(): Promise<void> {
    this.notes.push("settings read again");
  }

  showConversation(): void {
    this.shown += 1;
  }

  lend<T>(use: () => Promise<T>): Promise<T> {
    return use();
  }

  writeSequence(sequence: string): void {
    this.sequences.push(sequence);
  }

  quit(): void {
    this.hasQuit = true;
  }

  /** The lines of the uppermost panel; empty without one. Fails if a line is wider than the terminal, or there are too many. */
  lines(columns = this.columns, rows = this.rows): string[] {
    const lines = this.panels.at(-1)?.render(columns, rows) ?? [];
    const tooWide = lines.filter((line) => visibleWidth(line.replace(CURSOR_MARKER, "")) > columns);
    if (tooWide.length > 0) throw new Error(`wider than ${columns} cells: ${JSON.stringify(tooWide)}`);
    if (lines.length > rows) throw new Error(`${lines.length} lines in ${rows} rows`);
    if (lines.some((line) => /[\r\n\t]/.test(line))) throw new Error(`a control character in ${JSON.stringify(lines)}`);
    return lines.map((line) => line.replace(CURSOR_MARKER, "▏").trimEnd());
  }

  /** The panel as text. */
  get text(): string {
    return this.lines().join("\n");
  }

  /** The blocks as text. */
  get printed(): string {
    return this.blocks.flatMap((block) => block.render(this.columns)).join("\n");
  }

  press(...pressed: string[]): void {
    for (const key of pressed) {
      const panel = this.panels.at(-1);
      if (!panel) throw new Error(`no panel for the key ${JSON.stringify(key)}`);
      // Before and after, as on a terminal: the page size is that of the last picture.
      panel.render(this.columns, this.rows);
      panel.handleKey(key);
    }
    this.#changed();
  }

  type(text: string): void {
    this.press(...text);
  }

  /** Resolves when the uppermost panel shows a text. */
  shows(text: string): Promise<void> {
    return this.#until(() => this.panels.length > 0 && this.text.includes(text));
  }

  /** Resolves when a note contains a text. */
  hasNoted(text: string): Promise<void> {
    return this.#until(() => this.notes.some((note) => note.includes(text)));
  }

  #until(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!isSo()) return;
        this.#waiting = this.#waiting.filter((each) => each !== look);
        resolve();
      };
      this.#waiting.push(look);
      onTestFinished(() => {
        this.#waiting = [];
      });
      look();
    });
  }

  #changed(): void {
    for (const look of [...this.#waiting]) look();
  }
}
