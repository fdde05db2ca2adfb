import { DoublePress } from "./double-press.ts";
import type { ActionName } from "./input/key-actions.ts";
import type { Stage } from "./stage.ts";

/** The actions for the keys of the session. */
export interface SessionActions {
  readonly stage: Stage;
  /** Whether a run, a compaction or a shell command can be stopped. */
  readonly isWorking: boolean;
  stopWork(): void;
  clearPrompt(): void;
  /** Lets the user go back to an earlier message. */
  goBack(): void;
  suspend(): void;
  redraw(): void;
  editQueue(): void;
  editExternally(): void;
  cycleModel(): void;
  cycleThinking(): void;
  toggleThinking(): void;
  toggleToolOutput(): void;
}

/** Carries out the keys that are not for the editor. */
export class SessionKeys {
  readonly #actions: SessionActions;
  readonly #presses = new DoublePress();

  constructor(actions: SessionActions) {
    this.#actions = actions;
  }

  /** Forgets a first press, because another key has come. */
  reset(): void {
    this.#presses.reset();
  }

  /** Does what the action says. Actions of the editor and of lists are not for the session. */
  press(action: ActionName): void {
    const { stage } = this.#actions;
    switch (action) {
      case "abort":
        this.#abort();
        break;
      case "clear":
        this.#clear();
        break;
      case "exit":
        if (stage.promptText === "") stage.quit();
        break;
      case "suspend":
      case "redraw":
      case "editQueue":
      case "cycleModel":
      case "cycleThinking":
      case "toggleThinking":
      case "toggleToolOutput":
        this.#actions[action]();
        break;
      case "externalEditor":
        this.#actions.editExternally();
        break;
    }
  }

  #abort(): void {
    if (this.#actions.isWorking) {
      this.#presses.reset();
      this.#actions.stopWork();
    } else if (this.#presses.press("abort")) this.#actions.goBack();
  }

  /** Clears the prompt; without one it stops the work. A second press ends the mode. */
  #clear(): void {
    const { stage } = this.#actions;
    if (this.#presses.press("clear")) stage.quit();
    else if (stage.promptText !== "") this.#actions.clearPrompt();
    else if (this.#actions.isWorking) this.#actions.stopWork();
    else stage.note("Press the same key again to exit.");
  }
}
