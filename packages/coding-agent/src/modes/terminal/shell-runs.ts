import { errorText } from "./error-text.ts";
import type { Stage } from "./stage.ts";
import type { ConversationView } from "./view/conversation-view.ts";

/** The shell commands of the user, which run beside the conversation. */
export class ShellRuns {
  #count = 0;

  /** Whether a command runs. */
  get isActive(): boolean {
    return this.#count > 0;
  }

  /** Runs a command and shows it with its output. Resolves at its end. */
  async run(stage: Stage, view: ConversationView, command: string, isForModel: boolean): Promise<void> {
    const shown = view.showShell(command, !isForModel);
    stage.add(shown);
    const onOutput = (text: string) => shown.addOutput(text);
    this.#count += 1;
    try {
      shown.end(await stage.session.shell.run(command, { excludeFromContext: !isForModel, onOutput }));
    } catch (error) {
      shown.end({ output: errorText(error), exitCode: null, cancelled: false });
    } finally {
      this.#count -= 1;
    }
  }
}
