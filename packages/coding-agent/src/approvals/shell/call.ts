import type { EffectList, Part, PathEffect, RiskKind } from "./effects.ts";
import { type Options, readOptions } from "./options.ts";
import type { Input, Shell } from "./shell.ts";
import type { Arg } from "./words.ts";

/** The reader of scripts, for programs that run other commands. */
export interface Runner {
  run(words: readonly Arg[], at: Pick<Call, "input" | "shell" | "isRepeated"> & { within?: Part | undefined }): Input;
  runText(text: string, shell: Shell, input: Input, within?: Part): Input;
}

/** The rule for a program: reports the effects of a call, and returns its output (default: unknown). */
export type Rule = (call: Call) => Input | undefined;
/** Rules by name; names that share a rule are separated by spaces. */
export type Table = Readonly<Record<string, Rule>>;

interface CallParts {
  name: string;
  args: readonly Arg[];
  input: Input;
  shell: Shell;
  /** Whether the command runs for each of many files, as with `xargs` and `find -exec`. */
  isRepeated: boolean;
  part: Part;
  runner: Runner;
  effects: EffectList;
}

const pseudoDevices = /^\/dev\/(null|zero|full|random|urandom|tty|stdin|stdout|stderr|fd\/\d+)$/;

/** A command in a script, with expanded arguments, and the ways to report its effects. */
export class Call {
  /** Without folder. */
  readonly name: string;
  readonly args: readonly Arg[];
  readonly input: Input;
  readonly shell: Shell;
  readonly isRepeated: boolean;
  readonly part: Part;
  readonly #parts: CallParts;
  #text: string | undefined;

  constructor(parts: CallParts) {
    this.#parts = parts;
    ({
      name: this.name,
      args: this.args,
      input: this.input,
      shell: this.shell,
      isRepeated: this.isRepeated,
      part: this.part,
    } = parts);
  }

  /** The same call in another shell, or with other arguments. */
  with(changes: Partial<Pick<Call, "args" | "shell" | "input" | "isRepeated">>): Call {
    return new Call({ ...this.#parts, ...changes });
  }

  /** The command as in the script. */
  get text(): string {
    this.#text ??= this.#describe();
    return this.#text;
  }

  #describe(): string {
    const sources = this.args.slice(0, 20).map(({ source }) => source);
    // One word of the source may be several arguments.
    const words = sources.filter((source, index) => source !== sources[index - 1]).map((source) => source.slice(0, maxSource));
    const [given = ""] = this.part.words;
    return [/^[.~]/.test(given) ? given : this.name, ...words].join(" ");
  }

  options(valued = "", untilOperand = false): Options {
    return readOptions(this.args, valued, { untilOperand });
  }

  /** Reports a risk, the use of the network, or that nothing more is known. */
  does(kind: RiskKind | "network" | "unknown", what = this.text): undefined {
    this.#parts.effects.add({ kind, what, part: this.part });
  }

  reads(args: readonly Arg[]): undefined {
    for (const arg of args) this.#touch("read", arg, false);
  }

  writes(args: readonly Arg[], isWide = false): undefined {
    for (const arg of args) this.#touch("write", arg, isWide);
  }

  /** @param isWide - Whether all below the paths is deleted. */
  deletes(args: readonly Arg[], isWide: boolean): undefined {
    for (const arg of args) this.#touch("delete", arg, isWide || args.length > maxNamed);
  }

  /** Runs another command; the first word is its name. */
  run(words: readonly Arg[], changes: Partial<Pick<Call, "input" | "shell" | "isRepeated">> = {}): Input {
    const { input, shell, isRepeated, part } = this;
    return this.#parts.runner.run(words, { input, shell, isRepeated, ...changes, within: part });
  }

  /** Runs the text of an argument as a script. */
  runArg(arg: Arg, shell = this.shell.fork()): Input {
    if (arg.text !== undefined) return this.#parts.runner.runText(arg.text, shell, this.input, this.part);
    this.does(arg.origin?.kind === "download" ? "download" : "unknownCommand");
    return { kind: "unknown" };
  }

  #touch(kind: PathEffect["kind"], arg: Arg, isWide: boolean): void {
    const { text, source, isProcess } = arg;
    const { shell, text: what } = this;
    if (isProcess || text === "" || text === "-") return;
    if (shell.place === "container") {
      if (kind === "delete" && isWide) this.does("data");
      return;
    }
    if (shell.place === "remote") {
      if (kind !== "read") this.does("remote");
      return;
    }
    const path = text === undefined ? undefined : shell.resolve(text);
    if (path?.startsWith("/dev/") && kind !== "read") {
      if (!pseudoDevices.test(path)) this.does("device", path);
      return;
    }
    const isMany = isWide || this.isRepeated || (text !== undefined && /[*?]|\[.+\]/.test(text));
    this.#parts.effects.add({ kind, path, source, isWide: isMany, what, part: this.part });
  }
}

/** Maximum characters of an argument in the text of a command. */
const maxSource = 1000;

/** Maximum number of files that a command deletes by their names as an ordinary change. */
const maxNamed = 5;
