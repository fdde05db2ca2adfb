import { randomInt } from "node:crypto";

/**
 * The environment variable that identifies the processes of commands, even if they change their group or session. It holds the marks of all
 * enclosing commands, separated by colons.
 *
 * @internal Exported for its tests.
 */
export const markVariable = "PIKIT_COMMANDS";

let ownDigits: string | undefined;
let runners = 0;

/**
 * The prefix of the marks of all commands of this process. A mark is a number below 2^63, so that it can also be used as a resource limit
 * (see `spawn-command.ts`): 9 digits for the process, 4 for the runner, 6 for the command.
 */
export function processMark(): string {
  // Created with the first command, so that it does not slow down the start.
  ownDigits ??= `${randomInt(1, 9)}${padded(randomInt(1e8), 8)}`;
  return ownDigits;
}

/** Creates the marks for the commands of one runner. */
export class MarkSeries {
  #prefix: string | undefined;
  #commands = 0;

  /** The prefix of all marks of this series, and of no others. */
  get prefix(): string {
    this.#prefix ??= processMark() + padded(runners++ % 1e4, 4);
    return this.#prefix;
  }

  /** Whether a mark was created. */
  get isUsed(): boolean {
    return this.#commands > 0;
  }

  next(): string {
    return this.prefix + padded(this.#commands++ % 1e6, 6);
  }
}

/** Returns the environment with another mark, after those that it already has. */
export function markEnvironment(env: NodeJS.ProcessEnv, mark: string): NodeJS.ProcessEnv {
  const outer = env[markVariable];
  return { ...env, [markVariable]: outer ? `${outer}:${mark}` : mark };
}

/** Whether the environment of a process, as text from the system, has a mark that begins with `prefix`. */
export function hasMark(environment: string, prefix: string): boolean {
  let at = environment.indexOf(`${markVariable}=`);
  while (at >= 0) {
    const value = /^[\d:]*/.exec(environment.slice(at + markVariable.length + 1))?.[0] ?? "";
    if (value.split(":").some((mark) => mark.startsWith(prefix))) return true;
    at = environment.indexOf(`${markVariable}=`, at + 1);
  }
  return false;
}

function padded(number: number, digits: number): string {
  return String(number).padStart(digits, "0");
}
