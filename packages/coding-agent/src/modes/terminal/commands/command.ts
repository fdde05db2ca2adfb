import type { AgentSession } from "../../../session/agent-session.ts";
import type { AutocompleteItem } from "../library.ts";
import type { Stage } from "../stage.ts";

/** A command of the terminal itself, such as `/model`. Those of extensions, templates and skills belong to the session. */
export interface TerminalCommand {
  /** Without the slash. */
  name: string;
  aliases?: readonly string[];
  /** One sentence for lists. */
  description: string;
  /** The placeholder of its argument, such as `[name]`; absent if it has none. */
  argument?: string;
  /** The values that its argument may have. The caller filters them. */
  complete?(session: AgentSession): readonly AutocompleteItem[] | Promise<readonly AutocompleteItem[]>;
  /**
   * Runs the command. Errors for the user are thrown.
   *
   * @param args - The text after the name, trimmed.
   */
  run(stage: Stage, args: string): void | Promise<void>;
}

/** A typed command. */
export interface CommandCall {
  command: TerminalCommand;
  args: string;
}
