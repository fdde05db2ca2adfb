import { RpcConnectionError, type RpcError } from "../errors.ts";
import type { CommandName } from "../protocol-types.ts";

interface OpenCommand {
  command: string;
  text: string;
  /** Whether it was handed to a connection, so that the server may have carried it out. */
  isSent: boolean;
}

/** A command that the server will not answer any more. */
interface LostCommand {
  id: string;
  command: string;
  /** Undefined for a command that has nothing left to do, which counts as carried out. */
  error: RpcError | undefined;
}

/** Commands that stop work. After the end of an epoch, there is no work of that epoch left. */
const stops: ReadonlySet<string> = new Set<CommandName>(["abort", "abort_bash", "abort_retry"]);
/** Commands that concern this client only. */
const ownSettings: ReadonlySet<string> = new Set<CommandName>(["set_host_tools", "set_host_models", "set_stream_mode"]);

/** The commands without a response, in their order. They are sent again over each new connection: the server runs each of them once. */
export class OpenCommands {
  readonly #commands = new Map<string, OpenCommand>();

  add(id: string, command: string, text: string): void {
    this.#commands.set(id, { command, text, isSent: false });
  }

  delete(id: string): void {
    this.#commands.delete(id);
  }

  /** Sends one of them. */
  sendOne(id: string, send: (text: string) => void): void {
    const command = this.#commands.get(id);
    if (command === undefined) return;
    command.isSent = true;
    send(command.text);
  }

  /** Sends all of them. */
  sendAll(send: (text: string) => void): void {
    for (const id of this.#commands.keys()) this.sendOne(id, send);
  }

  /**
   * Removes the commands that cannot be sent to another life of the session, which does not remember them: they may have run. Commands that
   * were never sent, that only read (their names begin with `get_`), or that concern this client only stay.
   */
  takeLost(): LostCommand[] {
    const lost: LostCommand[] = [];
    for (const [id, { command, isSent }] of this.#commands) {
      if (!isSent || command.startsWith("get_") || ownSettings.has(command)) continue;
      this.#commands.delete(id);
      lost.push({
        id,
        command,
        error: stops.has(command) ? undefined : new RpcConnectionError("outcome_unknown", lostText(command)),
      });
    }
    return lost;
  }
}

function lostText(command: string): string {
  return `The server was restarted, or has closed and reopened the session, before it answered "${command}". It may have been carried out: look at the state of the session before you send it again.`;
}
