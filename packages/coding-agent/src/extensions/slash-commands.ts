import type { SlashCommand as ListedCommand } from "../protocol/data.ts";

/** A command, such as `/reload`. It starts at once, also during a run, and sends nothing to the model. */
export type SlashCommand = ListedCommand & {
  /** Left out of lists. Default false. */
  isHidden?: boolean;
  /** @param args - The text after the name, trimmed; empty if there is none. */
  run(args: string): Promise<void>;
};

/** A typed command. */
export interface SlashCall {
  command: SlashCommand;
  args: string;
}

/** The name ends at white space, so that commands may have arguments of several lines. */
const callPattern = /^\/(\S+)(?:\s+([\s\S]*))?$/;

/** The commands of a session that are not prompts. */
export class SlashCommands {
  readonly #commands = new Map<string, SlashCommand>();

  /**
   * Adds a command.
   *
   * @returns False if a command has its name already.
   */
  register(command: SlashCommand): boolean {
    if (this.#commands.has(command.name)) return false;
    this.#commands.set(command.name, command);
    return true;
  }

  /** Removes the commands for which `isMeant` returns true, so that they can be registered again. */
  remove(isMeant: (command: SlashCommand) => boolean): void {
    for (const command of [...this.#commands.values()]) if (isMeant(command)) this.#commands.delete(command.name);
  }

  /** The command that a prompt calls; undefined for a prompt for the model. */
  find(text: string): SlashCall | undefined {
    const match = text.startsWith("/") ? callPattern.exec(text.trimEnd()) : undefined;
    const command = match?.[1] === undefined ? undefined : this.#commands.get(match[1]);
    return command && { command, args: (match?.[2] ?? "").trim() };
  }

  /** The commands for `get_commands`, in the order of registration. */
  list(): ListedCommand[] {
    return [...this.#commands.values()]
      .filter(({ isHidden }) => isHidden !== true)
      .map(({ name, description, source, location, path, sourceInfo }) => ({
        name,
        source,
        ...(description === undefined ? {} : { description }),
        ...(location === undefined ? {} : { location }),
        ...(path === undefined ? {} : { path }),
        ...(sourceInfo === undefined ? {} : { sourceInfo }),
      }));
  }
}
