import type { ImageContent } from "@pikit/ai";
import type { Style } from "../../../theme/style.ts";
import { type AutocompleteProvider, CURSOR_MARKER, isKeyRelease, truncateToWidth, visibleWidth } from "../library.ts";
import type { Stage } from "../stage.ts";
import type { Theme } from "../theme/theme.ts";
import type { Attachments, TextWithImages } from "./attachments.ts";
import { droppedImages } from "./dropped-images.ts";
import { searchHistory } from "./history-search.ts";
import type { ActionName } from "./key-actions.ts";
import { commandKey, type KeyBindings } from "./keys.ts";
import { addedMarker, cleanText, type Draft, expandDraft, isLarge, pastedText, splitDraft, toPaste } from "./pastes.ts";
import { PlainEditor } from "./plain-editor.ts";
import type { PromptSource } from "./prompt-source.ts";

/** The prompts of the past. */
export interface PastPrompts {
  /** The latest last. */
  list(): readonly string[];
  add(text: string): void;
}

export interface PromptEditorOptions {
  theme: Theme;
  /** Without `open`, the history cannot be searched. */
  stage: Pick<Stage, "refresh" | "rows"> & Partial<Pick<Stage, "open">>;
  keys: KeyBindings;
  /**
   * Called with the text of the editor, trimmed and with pasted texts in place of their markers. The editor is empty then. With images, the
   * call comes when these are ready.
   */
  onSubmit(text: string, images: readonly ImageContent[]): void;
  /** Like `onSubmit`, for the key that sends the prompt after the present work. */
  onFollowUp(text: string, images: readonly ImageContent[]): void;
  history?: PastPrompts;
  completion?: AutocompleteProvider;
  /** The images of the prompt. Default: none can be attached. */
  images?: Attachments;
  /** Shown while the editor is empty. */
  placeholder?: string;
}

/** The columns of the mark before the text. */
const markWidth = 2;
/** Maximum number of key presses to reach the start of a recalled prompt. */
const maxPages = 500;

/** The editor for prompts. */
export class PromptEditor implements PromptSource {
  readonly #options: PromptEditorOptions;
  readonly #editor: PlainEditor;
  /** Pasted texts by their markers in the editor. */
  #pastes = new Map<string, string>();
  /** The text that `clear` has removed, until something else is typed. */
  #cleared: Draft | undefined;
  #browsing: { prompts: readonly string[]; index: number; shown: string; draft: Draft } | undefined;
  #width = 80;
  /** The lines of the last `render`, as long as they are right: the editor is drawn with each frame while an answer streams. */
  #drawn: { width: number; rows: number; accent: Style; lines: string[] } | undefined;
  /** The submitted texts whose images are not ready. */
  #waiting = 0;
  #lastDelivery: Promise<void> = Promise.resolve();

  constructor(options: PromptEditorOptions) {
    this.#options = options;
    const { stage, theme, keys, completion } = options;
    keys.install();
    this.#editor = new PlainEditor(
      {
        refresh: () => {
          this.#drawn = undefined;
          stage.refresh();
        },
        get rows() {
          return stage.rows;
        },
      },
      theme,
    );
    if (completion) this.#editor.setAutocompleteProvider(completion);
  }

  /** The text as it is shown, with markers for pasted texts. */
  get text(): string {
    return this.#editor.getText();
  }

  /** The text with pasted texts in place of their markers. */
  get expandedText(): string {
    return expandDraft(this.#draft());
  }

  /** Whether the list of completions is open. */
  get isCompleting(): boolean {
    return this.#editor.isShowingAutocomplete();
  }

  /**
   * Replaces the text. The cursor is at its end. A very long text is shown as a marker, like a pasted one.
   *
   * @param images - Those of the markers `[image 1]`, `[image 2]` … in the text.
   */
  setText(text: string, images: readonly ImageContent[] = []): void {
    this.#browsing = undefined;
    this.#drawn = undefined;
    const clean = cleanText(text);
    this.#show(images.length > 0 ? (this.#options.images?.replace({ text: clean, images: [...images] }) ?? clean) : clean);
  }

  /** Puts prompts above the text, with their images. */
  prepend(prompts: readonly TextWithImages[]): void {
    const { images } = this.#options;
    const texts = prompts.map((prompt) => images?.add(prompt) ?? prompt.text);
    this.setText([...texts, this.expandedText].filter((text) => text !== "").join("\n\n"));
  }

  /** Inserts a text at the cursor, like a pasted one. */
  paste(text: string): void {
    this.#drawn = undefined;
    this.#paste(cleanText(text));
  }

  setCompletion(completion: AutocompleteProvider): void {
    this.#editor.setAutocompleteProvider(completion);
  }

  /** Removes the text. The key for undo brings it back. */
  clear(): void {
    const draft = this.#draft();
    this.setText("");
    if (draft.text !== "") this.#cleared = draft;
  }

  /** The lines of the editor, at most `width` wide, with `CURSOR_MARKER` where the terminal shows its cursor. */
  render(width: number): string[] {
    const { rows } = this.#options.stage;
    // The styles change when the terminal reports its background.
    const { accent } = this.#options.theme;
    const drawn = this.#drawn;
    if (drawn?.width === width && drawn.rows === rows && drawn.accent === accent) return drawn.lines;
    const lines = this.#draw(width);
    this.#drawn = { width, rows, accent, lines };
    return lines;
  }

  /**
   * Takes a key.
   *
   * @param key - One key as the terminal sent it, or a pasted text between its marks.
   * @returns False if the key is for the session, such as Escape while no list of completions is open: see `KeyBindings.sessionActionOf`.
   */
  handleKey(key: string): boolean {
    this.#drawn = undefined;
    const pasted = pastedText(key);
    if (pasted !== undefined) this.#takePaste(pasted);
    else if (isKeyRelease(key)) return true;
    else if (this.#options.images && this.#options.keys.matches(key, "pasteImage")) void this.#pasteClipboard(this.#options.images);
    else if (this.#options.stage.open && this.#options.keys.matches(key, "historySearch")) this.#searchHistory();
    else if (this.#isForSession(key)) return false;
    else if (this.#options.keys.matches(key, "followUp")) this.#submit(commandKey("tui.input.submit"), "followUp");
    else if (this.#options.keys.matches(key, "submit")) this.#submit(key, "submit");
    else if (!this.#restoreCleared(key) && !this.#browse(key)) this.#editor.handleInput(key);
    if (this.text !== "") this.#cleared = undefined;
    return true;
  }

  #draw(width: number): string[] {
    const { theme, placeholder = "" } = this.#options;
    this.#width = Math.max(1, width - markWidth);
    if (this.text === "") return [`${this.#mark()} ${CURSOR_MARKER}${theme.dim(this.#fit(placeholder))}`];
    const { rows, menu, hiddenAbove, hiddenBelow } = this.#editor.renderRows(this.#width);
    const hiddenNote = (count: number, arrow: string) => (count > 0 ? [`  ${theme.dim(this.#fit(`${arrow} ${count} more`))}`] : []);
    return [
      ...hiddenNote(hiddenAbove, "↑"),
      ...rows.map((row, index) => (index === 0 && hiddenAbove === 0 ? `${this.#mark()} ${row}` : `  ${row}`)),
      ...hiddenNote(hiddenBelow, "↓"),
      ...menu.map((line) => `  ${line}`),
    ].map((line) => line.trimEnd());
  }

  #fit(text: string): string {
    return visibleWidth(text) > this.#width ? truncateToWidth(text, this.#width) : text;
  }

  #isForSession(key: string): boolean {
    const { keys } = this.#options;
    const action = keys.sessionActionOf(key);
    if (action === undefined || action === "followUp") return false;
    // The key that clears the prompt closes the list with it.
    if (this.isCompleting && action !== "clear" && keys.matches(key, "selectCancel")) return false;
    return this.text === "" || !keys.matches(key, "deleteCharForward");
  }

  #mark(): string {
    const { theme } = this.#options;
    if (!this.text.startsWith("!")) return theme.accent("›");
    return this.text.startsWith("!!") ? theme.dim("$") : theme.warning("$");
  }

  #draft(): Draft {
    return { text: this.text, pastes: new Map(this.#pastes) };
  }

  #takePaste(text: string): void {
    const { images } = this.#options;
    const paths = images && droppedImages(text);
    const markers = paths && images.addFiles(paths);
    if (markers !== undefined) this.#insertMarkers(markers);
    // Some terminals send an empty paste for a clipboard without text.
    else if (images && text === "") void this.#pasteClipboard(images);
    else this.#paste(text);
  }

  async #pasteClipboard(images: Attachments): Promise<void> {
    const marker = await images.addFromClipboard();
    if (marker !== undefined) this.#insertMarkers(marker);
  }

  #insertMarkers(markers: string): void {
    const space = /\S$/.test(this.#beforeCursor()) ? " " : "";
    this.#drawn = undefined;
    this.#editor.insertTextAtCursor(`${space}${markers} `);
    this.#options.stage.refresh();
  }

  #paste(text: string): void {
    const before = this.#beforeCursor();
    this.#editor.handleInput(toPaste(text));
    const marker = addedMarker(before, this.#beforeCursor(), text);
    if (marker !== undefined) this.#pastes.set(marker, text);
  }

  #beforeCursor(): string {
    const { line, col } = this.#editor.getCursor();
    return (this.#editor.getLines()[line] ?? "").slice(0, col);
  }

  /** Submits the text, unless the key takes a completion or, behind a backslash, starts a new line. */
  #submit(key: string, submitAs: "submit" | "followUp"): void {
    if (submitAs === "followUp" && this.isCompleting) this.#editor.handleInput(commandKey("tui.select.cancel"));
    const typed = this.#editor.getExpandedText().trim();
    const expanded = this.expandedText.trim();
    let submitted: string | undefined;
    this.#editor.onSubmit = (text) => {
      // A completion may have changed the text.
      submitted = text === typed ? expanded : expandDraft({ text, pastes: this.#pastes });
    };
    this.#editor.handleInput(key);
    if (submitted === undefined) return;
    this.#pastes = new Map();
    this.#browsing = undefined;
    if (submitted !== "") this.#deliver(submitted, submitAs);
  }

  /** Calls the callbacks in the order of the submits, as soon as the images are ready. */
  #deliver(submitted: string, submitAs: "submit" | "followUp"): void {
    const { images, history } = this.#options;
    const typed = images ? images.removeFrom(submitted) : submitted;
    if (typed !== "") history?.add(typed);
    const call = (prompt: TextWithImages) => {
      if (submitAs === "followUp") this.#options.onFollowUp(prompt.text, prompt.images);
      else this.#options.onSubmit(prompt.text, prompt.images);
    };
    const isReady = !images?.areIn(submitted) && this.#waiting === 0;
    const taken = images?.take(submitted);
    if (isReady) {
      call({ text: submitted, images: [] });
      return;
    }
    this.#waiting += 1;
    this.#lastDelivery = this.#lastDelivery.then(async () => {
      const prompt = (await taken) ?? { text: submitted, images: [] };
      this.#waiting -= 1;
      call(prompt);
    });
  }

  #restoreCleared(key: string): boolean {
    if (this.#cleared === undefined || this.text !== "" || !this.#options.keys.matches(key, "undo")) return false;
    this.#restore(this.#cleared);
    return true;
  }

  #restore(draft: Draft): void {
    this.#show("");
    for (const { text, isPaste } of splitDraft(draft)) {
      if (isPaste) this.#paste(text);
      else this.#editor.insertTextAtCursor(text);
    }
  }

  #show(text: string): void {
    this.#pastes = new Map();
    this.#editor.setText(isLarge(text) ? "" : text);
    if (isLarge(text)) this.#paste(text);
  }

  #searchHistory(): void {
    const { theme, stage, history } = this.#options;
    searchHistory({
      theme,
      prompts: history?.list() ?? [],
      open: (panel) => stage.open?.(panel) ?? (() => undefined),
      onChoose: (prompt) => this.setText(prompt),
    });
  }

  /** Moves through the history, if the key does that at the cursor. */
  #browse(key: string): boolean {
    const isKey = (action: ActionName) => this.#options.keys.matches(key, action);
    const direction = isKey("cursorUp") || isKey("historyPrevious") ? -1 : isKey("cursorDown") || isKey("historyNext") ? 1 : 0;
    if (direction === 0 || this.isCompleting) return false;
    if (this.#browsing?.shown !== this.text) this.#browsing = undefined;
    const isCursorKey = isKey("cursorUp") || isKey("cursorDown");
    if (isCursorKey && !this.#isAtEdge(direction)) return false;
    return this.#recall(direction) || !isCursorKey;
  }

  /** Whether there is no row of the text in this direction. A new text is left upwards only from its start, so that Up first goes there. */
  #isAtEdge(direction: -1 | 1): boolean {
    if (this.text === "") return true;
    const { line, col } = this.#editor.getCursor();
    if (this.#browsing === undefined) return direction < 0 && line === 0 && col === 0;
    const { isInFirstRow, isInLastRow } = this.#editor.cursorPlace(this.#width);
    return direction < 0 ? isInFirstRow : isInLastRow;
  }

  #recall(direction: -1 | 1): boolean {
    const { history } = this.#options;
    if (this.#browsing === undefined && direction > 0) return false;
    const { prompts, index, draft } = this.#browsing ?? startBrowsing(history?.list() ?? [], this.#draft());
    const next = index + direction;
    const prompt = prompts[next];
    if (prompt !== undefined) {
      this.#show(cleanText(prompt));
      if (direction < 0) this.#leaveLowerRows();
      this.#browsing = { prompts, index: next, shown: this.text, draft };
      return true;
    }
    if (direction < 0) return index < prompts.length;
    this.#browsing = undefined;
    this.#restore(draft);
    return true;
  }

  /** Moves the cursor from the end to the start of a prompt with several rows, so that the next key goes to the prompt before. */
  #leaveLowerRows(): void {
    if (this.#editor.cursorPlace(this.#width).isInFirstRow) return;
    for (let pages = 0; pages < maxPages && this.#editor.getCursor().line > 0; pages++) {
      this.#editor.handleInput(commandKey("tui.editor.pageUp"));
    }
    this.#editor.handleInput(commandKey("tui.editor.cursorLineStart"));
  }
}

function startBrowsing(prompts: readonly string[], draft: Draft) {
  return { prompts, index: prompts.length, draft };
}
