import type { SessionTerminal } from "../../../terminal-interface.ts";
import type {
  ApprovalAnswer,
  ApprovalQuestion,
  Clarification,
  ClarificationAnswer,
  Confirmation,
  DialogOptions,
  UserInterface,
} from "../../../user-interface.ts";
import { toTerminalText } from "../../terminal-text.ts";
import { cut, toSafeLine } from "../lines.ts";
import type { Panel } from "../panel.ts";
import type { Stage } from "../stage.ts";
import { ApprovalPanel } from "./approval-panel.ts";
import { ConfirmPanel } from "./confirm-panel.ts";
import { ListPanel } from "./list-panel.ts";
import { EditorPanel, TextPanel } from "./text-panel.ts";
import { Widgets } from "./widgets.ts";

/** The part of the terminal that the dialogs need. */
type UserStage = Pick<Stage, "theme" | "open" | "hasPanel" | "refresh" | "note" | "promptText" | "setPromptText" | "writeSequence">;

/** Maximum number of dialogs that are open or wait. Further ones get their default at once. */
const maxDialogs = 100;
/** Maximum characters of a notification, of the title of the window, and of a text for the editor. */
const maxNote = 10_000;
const maxTitle = 200;
const maxEditorText = 1_000_000;
/** Milliseconds without a key before a letter answers a question that appears while the user is typing. */
const typingPauseMs = 500;
/** The maximum delay of a timer in milliseconds; a timer with a longer delay fires at once. */
const maxTimerMs = 2 ** 31 - 1;

/** The choices when a run has reached a limit. */
type LimitChoice = "continue" | "hint" | "stop";

/** Asks the user in place of the editor: one dialog at a time, in the order in which they were asked. */
export class StageUser implements UserInterface {
  readonly mode = "tui";
  readonly #stage: UserStage;
  readonly #widgets: Widgets;
  /** The members of this terminal for extensions; undefined if there are none. */
  readonly terminal: SessionTerminal | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;

  constructor(stage: UserStage, { widgets = new Widgets(), terminal }: { widgets?: Widgets; terminal?: SessionTerminal } = {}) {
    this.#stage = stage;
    this.#widgets = widgets;
    this.terminal = terminal;
  }

  async approve(question: ApprovalQuestion, options?: DialogOptions): Promise<ApprovalAnswer> {
    const answer = await this.#ask<ApprovalAnswer>(options, (onAnswer) => {
      return new ApprovalPanel({ theme: this.#stage.theme, question, quietMs: this.#quietMs, onAnswer });
    });
    return answer ?? { decision: "no" };
  }

  async confirm({ title, message }: Confirmation, options?: DialogOptions): Promise<boolean> {
    const answer = await this.#ask<boolean>(options, (onAnswer) => {
      const choices = [
        { key: "y", label: "yes", value: true },
        { key: "n", label: "no", value: false },
      ];
      return new ConfirmPanel({
        ...{ theme: this.#stage.theme, title, text: message, choices, escLabel: "no", quietMs: this.#quietMs, onAnswer },
      });
    });
    return answer === true;
  }

  select(
    { title, options: choices }: { title: string; options: readonly string[] },
    options?: DialogOptions,
  ): Promise<string | undefined> {
    return this.#ask<string>(options, (onChoose) => {
      const rows = choices.map((value) => ({ value, label: value }));
      return new ListPanel({ theme: this.#stage.theme, title, rows, onChoose });
    });
  }

  async input(
    { title, placeholder }: { title: string; placeholder?: string },
    options?: DialogOptions,
  ): Promise<string | undefined> {
    const text = await this.#ask<string>(options, (onAnswer) => {
      return new TextPanel({ theme: this.#stage.theme, title, ...(placeholder === undefined ? {} : { placeholder }), onAnswer });
    });
    return text || undefined;
  }

  async editor({ title, prefill }: { title: string; prefill?: string }, options?: DialogOptions): Promise<string | undefined> {
    const { theme, refresh } = this.#stage;
    const text = await this.#ask<string>(options, (onAnswer) => {
      const value = prefill === undefined ? {} : { value: prefill };
      return new EditorPanel({ theme, title, ...value, refresh: () => refresh.call(this.#stage), onAnswer });
    });
    return text || undefined;
  }

  async clarify({ message }: Clarification, options?: DialogOptions): Promise<ClarificationAnswer> {
    const answer = await this.#ask<LimitChoice>(options, (onAnswer) => {
      const choices = [
        { key: "c", label: "continue", value: "continue" as const },
        { key: "h", label: "continue with a hint", value: "hint" as const },
        { key: "s", label: "stop", value: "stop" as const },
      ];
      const title = "The run has reached a limit. Continue?";
      return new ConfirmPanel<LimitChoice>({
        ...{ theme: this.#stage.theme, title, text: message, choices, escLabel: "stop", quietMs: this.#quietMs, onAnswer },
      });
    });
    if (answer === "continue") return { action: "continue" };
    if (answer !== "hint") return { action: "stop" };
    const hint = await this.input({ title: "A hint for the model" }, options);
    return hint === undefined ? { action: "stop" } : { action: "continue", hint };
  }

  notify(message: string, type: "info" | "warning" | "error" = "info"): void {
    this.#stage.note(cut(message, maxNote), type);
  }

  setStatus(key: string, text?: string): void {
    if (!this.#widgets.setStatus(key, text))
      this.notify(`There are too many status lines; "${toSafeLine(key)}" is not shown.`, "warning");
    this.#stage.refresh();
  }

  setWidget(key: string, lines?: readonly string[], placement?: "aboveEditor" | "belowEditor"): void {
    if (!this.#widgets.setWidget(key, lines, placement === "belowEditor")) {
      this.notify(`There are too many widgets; "${toSafeLine(key)}" is not shown.`, "warning");
    }
    this.#stage.refresh();
  }

  setTitle(title: string): void {
    this.#stage.writeSequence(`\u001b]0;${toSafeLine(title, maxTitle)}\u0007`);
  }

  setEditorText(text: string): void {
    this.#stage.setPromptText(toTerminalText(cut(text, maxEditorText)));
  }

  /** The user may be typing if the editor has a text, or another panel is open, such as a list that is searched. */
  get #quietMs(): number {
    return this.#stage.promptText === "" && !this.#stage.hasPanel ? 0 : typingPauseMs;
  }

  /**
   * Opens a panel after the earlier dialogs have ended. Resolves with its answer; undefined after an abort, also while it waits, and after a
   * timeout, which is counted from its display.
   */
  #ask<T>({ signal, timeoutMs }: DialogOptions = {}, createPanel: (onAnswer: (answer: T | undefined) => void) => Panel) {
    const { promise, resolve } = Promise.withResolvers<T | undefined>();
    if (signal?.aborted || this.#count >= maxDialogs) {
      resolve(undefined);
      return promise;
    }
    this.#count += 1;
    let isSettled = false;
    let close = () => {};
    let timer: ReturnType<typeof setTimeout> | undefined;
    const settle = (answer?: T) => {
      if (isSettled) return;
      isSettled = true;
      this.#count -= 1;
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      close();
      resolve(answer);
    };
    const onAbort = () => settle();
    signal?.addEventListener("abort", onAbort, { once: true });
    this.#last = this.#last.then(() => {
      if (isSettled) return undefined;
      try {
        close = this.#stage.open(createPanel(settle));
      } catch {
        // An extension has given values of a wrong type.
        settle();
      }
      if (!isSettled && timeoutMs !== undefined) timer = setTimeout(onAbort, Math.min(timeoutMs, maxTimerMs));
      return promise;
    });
    return promise;
  }
}
