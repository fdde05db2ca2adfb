import type { EffectList, Part, PathEffect, RiskKind } from "./effects.ts";
import { isOption, type Options, readOptions } from "./options.ts";
import { hole, type Input, isKnown, type Shell, unknown } from "./shell.ts";
import { type Arg, plainArg } from "./words.ts";

/** The reader of scripts, for programs that run other commands. */
export interface Runner {
  readonly effects: EffectList;
  run(words: readonly Arg[], at: { input: Input; shell: Shell; isRepeated: boolean; within: Part | undefined }): Input;
  runText(text: string, shell: Shell, input: Input, within: Part | undefined): Input;
  /** Reports that a variable has an effect on commands. */
  setVariable(name: string, value: string, shell: Shell, within: Part | undefined): void;
}

interface CallFields {
  /** Without folder. */
  name: string;
  args: readonly Arg[];
  /** The options with a value, without dashes. */
  valued: ReadonlySet<string>;
  /** Whether the first operand ends the options. */
  stops: boolean;
  /** The command as in the script. */
  text: string;
  input: Input;
  shell: Shell;
  /** Whether the command runs for each of many files, as with `xargs` and `find -exec`. */
  isRepeated: boolean;
  part: Part;
  runner: Runner;
}

const pseudoDevices = /^\/dev\/(null|zero|full|random|urandom|tty|stdin|stdout|stderr|fd\/\d+)$/;

/** Maximum number of files that a command deletes by their names as an ordinary change. */
const maxNamed = 5;

/** A command in a script, with expanded arguments, and the ways to report its effects. */
export class Call {
  readonly name: string;
  readonly args: readonly Arg[];
  readonly text: string;
  readonly input: Input;
  readonly shell: Shell;
  readonly isRepeated: boolean;
  readonly part: Part;
  readonly #fields: CallFields;
  #options: Options | undefined;

  constructor(fields: CallFields) {
    this.#fields = fields;
    ({ name: this.name, args: this.args, text: this.text, part: this.part } = fields);
    ({ input: this.input, shell: this.shell, isRepeated: this.isRepeated } = fields);
  }

  /** The same call with other arguments, in another shell, or with its options read in another way. */
  with(changes: Partial<CallFields>): Call {
    return new Call({ ...this.#fields, ...changes });
  }

  get #given(): Options {
    this.#options ??= readOptions(this.args, this.#fields.valued, this.#fields.stops);
    return this.#options;
  }

  get operands(): readonly Arg[] {
    return this.#given.operands;
  }

  /** Whether one of the options is given; separated by `|`, such as `-f|--force`. */
  has(options: string): boolean {
    const names = options.split("|");
    return this.#given.given.some(({ name }) => isOption(name, names));
  }

  /** The values of these options, in order. */
  values(options: string): Arg[] {
    const names = options.split("|");
    return this.#given.given.flatMap(({ name, value }) => (value && isOption(name, names) ? [value] : []));
  }

  /** The arguments that a row of a table means, see `table.ts`. */
  pick(on: string): readonly Arg[] {
    if (on.startsWith("-")) return this.values(on);
    if (on === "all") return this.operands;
    if (on === "last") return this.operands.slice(-1);
    if (on === "init") return this.operands.slice(0, -1);
    const [, from, isOpen] = /^(\d)(\.\.)?$/.exec(on) ?? [];
    if (from !== undefined) return this.operands.slice(Number(from) - 1, isOpen ? undefined : Number(from));
    return [plainArg(on.replace(/^~/, this.shell.home))];
  }

  /** Reports a risk, the use of the network, or that nothing more is known. */
  does(kind: RiskKind | "network" | "unknown", what = this.text): undefined {
    this.#fields.runner.effects.add({ kind, what, part: this.part });
  }

  reads(args: readonly Arg[]): undefined {
    for (const arg of args) this.#touch("read", arg, false);
  }

  writes(args: readonly Arg[]): undefined {
    for (const arg of args) this.#touch("write", arg, false);
  }

  /** @param isWide - Whether all below the paths is deleted. */
  deletes(args: readonly Arg[], isWide: boolean): undefined {
    for (const arg of args) this.#touch("delete", arg, isWide || args.length > maxNamed);
  }

  /** Runs another command; the first word is its name. */
  run(words: readonly Arg[], changes: Partial<Pick<Call, "input" | "shell" | "isRepeated">> = {}): Input {
    const { input, shell, isRepeated, part } = this;
    return this.#fields.runner.run(words, { input, shell, isRepeated, ...changes, within: part });
  }

  /** Runs a text as a script. Without a known beginning, anything may run. */
  runText({ text, origin }: Arg, shell = this.shell.fork()): Input {
    if (!text.startsWith(hole)) return this.#fields.runner.runText(text, shell, this.input, this.part);
    this.does(origin?.kind === "download" ? "download" : "unknownCommand");
    return unknown;
  }

  /** Sets a variable for a command that the call runs: `name=value`. */
  sets({ text }: Arg): void {
    const [name = "", value = ""] = text.split(/=(.*)/s);
    this.#fields.runner.setVariable(name, value, this.shell, this.part);
  }

  #touch(kind: PathEffect["kind"], { text, source }: Arg, isWide: boolean): void {
    const { shell, text: what } = this;
    if (text === "" || text === "-") return;
    if (shell.place === "container") {
      if (kind === "delete" && isWide) this.does("data");
      return;
    }
    if (shell.place === "remote") {
      if (kind !== "read") this.does("remote");
      return;
    }
    const path = shell.resolve(text);
    if (path?.startsWith("/dev/")) {
      if (kind !== "read" && !pseudoDevices.test(path)) this.does("device", path);
      return;
    }
    const isMany = isWide || this.isRepeated || (isKnown(text) && /[*?]|\[.+\]/.test(text));
    this.#fields.runner.effects.add({ kind, path, source, isWide: isMany, what, part: this.part });
  }
}

/**
 * A part of what a program does.
 *
 * @param on - The arguments that it is about, as in the table.
 * @returns The output of the program, if the action says something about it.
 */
export type Action = (call: Call, on: string) => Input | undefined;
