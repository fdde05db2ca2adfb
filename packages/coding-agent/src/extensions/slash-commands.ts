import type { SlashCommand as ListedCommand } from "../protocol/data.ts";

/** A word behind a slash that does something at once, also while a run is going; nothing is sent to the model. */
export type SlashCommand = ListedCommand & {
  /** Left out of lists. Default false. */
  isHidden?: boolean;
  /** @param args - What stands behind the name, without the spaces around it; empty when nothing does. */
  run(args: string): Promise<void>;
};

/** A command as it was typed. */
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
   * Adds a command. The first one of a name stays.
   *
   * @returns Whether it was added; if not, the name is taken.
   */
  register(command: SlashCommand): boolean {
    if (this.#commands.has(command.name)) return false;
    this.#commands.set(command.name, command);
    return true;
  }

  /** Takes away the commands that `isMeant` picks, so that they can be registered anew. */
  remove(isMeant: (command: SlashCommand) => boolean): void {
    for (const command of [...this.#commands.values()]) if (isMeant(command)) this.#commands.delete(command.name);
  }

  /** The command that a prompt calls; undefined for a prompt that is meant for the model. */
  find(text: string): SlashCall | undefined {
    const match = text.startsWith("/") ? callPattern.exec(text.trimEnd()) : undefined;
    const command = match?.[1] === undefined ? undefined : this.#commands.get(match[1]);
    return command && { command, args: (match?.[2] ?? "").trim() };
  }

  /** What `get_commands` tells, in the order of registration. */
  list(): ListedCommand[] {
    return [...this.#commands.values()]
      .filter(({ isHidden }) => isHidden !== true)
      .map(({ name, description, source, location, path }) => ({
        name,
        source,
        ...(description === undefined ? {} : { description }),
        ...(location === undefined ? {} : { location }),
        ...(path === undefined ? {} : { path }),
      }));
  }
}
