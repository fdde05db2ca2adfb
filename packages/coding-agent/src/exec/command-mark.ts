import { randomInt } from "node:crypto";

/**
 * The environment variable by which the processes of commands are known, whatever group or session they move to: the marks of all
 * agents above them, joined by colons.
 */
export const markVariable = "PIKIT_COMMANDS";

let ownDigits: string | undefined;
let runners = 0;

/**
 * Digits that begin the marks of all commands of this process. A whole mark is a number below 2^63, so that it can also be a
 * resource limit (see `spawn-command.ts`): 9 digits for the process, 4 for the runner, 6 for the command.
 */
export function processMark(): string {
  // With the first command, since loading node:crypto would make every start slower.
  ownDigits ??= `${randomInt(1, 9)}${padded(randomInt(1e8), 8)}`;
  return ownDigits;
}

/** Gives the marks of one runner's commands. */
export class MarkSeries {
  #prefix: string | undefined;
  #commands = 0;

  /** What all marks of the series begin with, and no others. */
  get prefix(): string {
    this.#prefix ??= processMark() + padded(runners++ % 1e4, 4);
    return this.#prefix;
  }

  /** Whether there is any mark of the series. */
  get isUsed(): boolean {
    return this.#commands > 0;
  }

  next(): string {
    return this.prefix + padded(this.#commands++ % 1e6, 6);
  }
}

/** The environment with a mark added to those that it has. */
export function markEnvironment(env: NodeJS.ProcessEnv, mark: string): NodeJS.ProcessEnv {
  const outer = env[markVariable];
  return { ...env, [markVariable]: outer ? `${outer}:${mark}` : mark };
}

/** Whether an environment, as the system shows it, has a mark that begins with `prefix`. */
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
