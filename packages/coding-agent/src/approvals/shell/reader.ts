import { basename } from "node:path";
import type {
  Assignment,
  Command,
  CommandNode,
  Function as FunctionNode,
  ParsedScript,
  Redirection,
  SyntaxNode,
  Word,
} from "unbash";
import { runProgram } from "../programs/run-program.ts";
import { Call, type Runner } from "./call.ts";
import { type EffectList, type Part, type RiskKind, TooComplex } from "./effects.ts";
import { hole, type Input, isKnown, mergeOutputs, nothing, type Shell, unknown } from "./shell.ts";
import { type Arg, expandWord } from "./words.ts";

export interface Parser {
  parse(source: string): ParsedScript;
  forEachChild(node: SyntaxNode, callback: (child: SyntaxNode) => void): void;
}

/** Maximum depth of scripts inside scripts; the parser takes more time with each level. */
const maxNesting = 20;
/** Maximum depth of the syntax tree; the stack allows more. */
const maxDepth = 400;
/** Variables that change which programs run, or what they do. */
const strongVariable =
  /^(PATH|IFS|SHELL|ENV|BASH_ENV|PROMPT_COMMAND|PS4|CDPATH|LD_.*|DYLD_.*|GIT_.*|.*PAGER|.*EDITOR|VISUAL|BROWSER|NODE_OPTIONS|NODE_PATH|PYTHON(PATH|STARTUP|HOME)|PERL5.*|RUBY(OPT|LIB)|JAVA_TOOL_OPTIONS|LESSOPEN|RUSTC?(_WRAPPER|FLAGS)?|CC|CXX|MAKEFLAGS|npm_config_.*)$/;

/** Variables whose values are commands. */
const commandVariable = /^(.*PAGER|.*EDITOR|VISUAL|BROWSER|PROMPT_COMMAND|LESSOPEN|GIT_(SSH_COMMAND|EXTERNAL_DIFF|ASKPASS))$/;

/** Finds the effects of all commands that a script would run. */
export class ScriptReader implements Runner {
  readonly effects: EffectList;
  readonly #parser: Parser;
  #nesting = 0;
  #depth = 0;
  /** The command whose text is read, such as `sh -c`. */
  #within: Part | undefined;

  constructor(parser: Parser, effects: EffectList) {
    this.#parser = parser;
    this.effects = effects;
  }

  /** @throws {TooComplex} */
  runText(text: string, shell: Shell, input: Input, within: Part | undefined): Input {
    this.effects.spend(text.length);
    const before = this.#within;
    this.#within = within;
    const output = this.#readScript(this.#parser.parse(text), shell, input);
    this.#within = before;
    return output;
  }

  setVariable(name: string, value: string, shell: Shell, within: Part | undefined): void {
    if (strongVariable.test(name)) this.effects.add({ kind: "unknown", what: `${name}=…`, part: within });
    // `LESSOPEN='| command'`
    if (commandVariable.test(name) && isKnown(value)) this.runText(value.replace(/^\|-?/, ""), shell.fork(), nothing, within);
  }

  run(words: readonly Arg[], { input, shell, isRepeated, within }: Parameters<Runner["run"]>[1]): Input {
    const [command, ...args] = words;
    if (!command) return nothing;
    const part: Part = { words: words.map(({ text, source }) => (isKnown(text) ? text : source)), within };
    this.effects.parts.push(part);
    // `"$folder/tool"` has a known name in an unknown folder.
    const path = command.text.slice(command.text.lastIndexOf(hole) + 1);
    if ((path !== command.text && !path.includes("/")) || isPattern(path)) {
      const isDownload = command.origin?.kind === "download";
      this.#risk(isDownload ? "download" : "unknownCommand", words.map(({ source }) => source).join(" "), part);
      return unknown;
    }
    const { aliases, functions } = shell.definitions;
    const alias = aliases.get(path);
    if (alias !== undefined) {
      // Inside the text of an alias, its name means the command.
      aliases.delete(path);
      const output = this.runText([alias, ...args.map(({ source }) => source)].join(" "), shell, input, part);
      aliases.set(path, alias);
      return output;
    }
    if (functions.has(path)) return unknown;
    return this.#nested(() => runProgram(path, this.#call(path, args, { input, shell, isRepeated, part })));
  }

  #call(path: string, args: readonly Arg[], at: Pick<Call, "input" | "shell" | "isRepeated" | "part">): Call {
    const name = basename(path);
    const text = [/^[.~]/.test(at.part.words[0] ?? "") ? at.part.words[0] : name, ...sourcesOf(args)].join(" ");
    return new Call({ ...at, name, args, text, valued: new Set(), stops: false, runner: this });
  }

  #risk(kind: RiskKind, what: string, part = this.#within): void {
    this.effects.add({ kind, what, part });
  }

  #readScript(script: ParsedScript, shell: Shell, input: Input): Input {
    const [error] = script.errors ?? [];
    if (error) {
      // After an error the parser may understand the rest differently from bash.
      this.#risk("unreadable", error.message);
      return unknown;
    }
    return this.#nested(() =>
      script.commands.reduce((output, statement) => mergeOutputs(output, this.#read(statement, shell, input)), nothing),
    );
  }

  #nested<T>(work: () => T): T {
    if (this.#nesting >= maxNesting) throw new TooComplex("it is nested too deeply");
    this.#nesting += 1;
    const result = work();
    this.#nesting -= 1;
    return result;
  }

  /** Reads a node and its children. Returns the output of the commands. */
  #read(node: SyntaxNode, shell: Shell, input: Input): Input {
    if (this.#depth >= maxDepth) throw new TooComplex("it is nested too deeply");
    this.#depth += 1;
    const output = this.#readNode(node, shell, input);
    this.#depth -= 1;
    return output;
  }

  #readNode(node: SyntaxNode, shell: Shell, input: Input): Input {
    switch (node.type) {
      case "Script":
        return this.#readScript(node, shell.fork(), input);
      case "Statement":
        return this.#read(node.command, node.background ? shell.fork() : shell, input);
      case "Command":
        return this.#readCommand(node, shell, input);
      case "Pipeline": {
        // Each stage runs in its own shell, except a single command after `!` or `time`.
        const isAlone = node.commands.length === 1;
        return node.commands.reduce<Input>((piped, stage) => this.#read(stage, isAlone ? shell : shell.fork(), piped), input);
      }
      case "Redirected": {
        const { input: redirected, outputs } = this.#readRedirections(node.redirects, shell, input);
        return store(this.#read(node.command, shell, redirected), outputs, shell);
      }
      case "Subshell":
        return this.#read(node.body, shell.fork(), input);
      case "For":
      case "Select": {
        const values = (node.wordlist ?? []).flatMap((word) => this.#expand(word, shell));
        shell.assign(node.name.value, node.wordlist ? values.map(({ text }) => text) : [hole]);
        return this.#read(node.body, shell, input);
      }
      case "Function":
        return this.#readFunction(node, shell);
      case "Assignment":
        this.#readAssignment(node, shell);
        return nothing;
      default: {
        let output: Input = nothing;
        this.#parser.forEachChild(node, (child) => {
          output = mergeOutputs(output, this.#read(child, shell, input));
        });
        return output;
      }
    }
  }

  #readCommand(node: Command, shell: Shell, input: Input): Input {
    for (const item of node.prefix) {
      // An assignment before a command is only for that command.
      if (item.type === "Assignment") this.#readAssignment(item, node.name ? undefined : shell, shell);
    }
    const { input: redirected, outputs } = this.#readRedirections(node.redirects, shell, input);
    // `$(<file)` prints the file.
    if (!node.name) return redirected;
    const words = [node.name, ...node.args].flatMap((item) => this.#readArgument(item, shell));
    this.effects.spend(words.length);
    return store(this.run(words, { input: redirected, shell, isRepeated: false, within: this.#within }), outputs, shell);
  }

  #readArgument(item: Word | Assignment, shell: Shell): Arg[] {
    if (item.type === "Word") return this.#expand(item, shell);
    return this.#readAssignment(item, undefined, shell).map((value) => ({ text: `${item.name}=${value}`, source: item.text }));
  }

  /** Assigns in `target`, if given. Returns the values of the variable. */
  #readAssignment(node: Assignment, target: Shell | undefined, shell = target as Shell): string[] {
    const { value, name } = node;
    if (node.index) this.#expand(node.index, shell);
    const args = value.type === "Word" ? this.#expand(value, shell) : value.elements.flatMap((word) => this.#expand(word, shell));
    // White space does not separate arguments here.
    const isPlain = value.type === "Word" && !node.append && !node.index && args.length < 2;
    const values = [isPlain ? (args[0]?.text ?? "") : hole];
    this.setVariable(name, values[0] as string, shell, this.#within);
    target?.assign(name, values);
    return values;
  }

  /** Returns the input of the command and the files for its output. */
  #readRedirections(redirections: readonly Redirection[], shell: Shell, input: Input): { input: Input; outputs: Arg[] } {
    let result = input;
    const outputs: Arg[] = [];
    for (const redirection of redirections) {
      switch (redirection.type) {
        case "HereDoc":
          for (const part of redirection.body.parts ?? []) this.#read(part, shell, nothing);
          result = { kind: "text", text: redirection.body.text };
          break;
        case "HereString": {
          const [arg, ...more] = redirection.target ? this.#expand(redirection.target, shell) : [];
          if (arg && isKnown(arg.text) && more.length === 0) result = { kind: "text", text: arg.text };
          else result = arg?.origin ?? unknown;
          break;
        }
        default: {
          const { operator, target } = redirection;
          const args = target ? this.#expand(target, shell) : [];
          if (operator === "<") result = inputFrom(args[0], shell);
          else if (operator === "<&" || (operator === ">&" && /^(\d+-?|-)$/.test(target?.value ?? ""))) break;
          else outputs.push(...args);
        }
      }
    }
    // Rules for a command do not allow its redirections, so they are a part of their own.
    const part = { words: [">"], within: undefined };
    this.#call(">", outputs, { input, shell, isRepeated: false, part }).writes(outputs);
    return { input: result, outputs };
  }

  #readFunction(node: FunctionNode, shell: Shell): Input {
    const name = node.name.value;
    if (startsItself(this.#parser, node.body, name)) this.#risk("system", `${name} starts itself over and over`);
    shell.definitions.functions.add(name);
    this.#read(node.body, shell.fork(), unknown);
    return nothing;
  }

  #expand(word: Word, shell: Shell): Arg[] {
    // The commands of a substitution are not arguments of the command around it.
    const apart = <T>(read: () => T): T => {
      const before = this.#within;
      this.#within = undefined;
      const result = read();
      this.#within = before;
      return result;
    };
    return expandWord(word, {
      shell,
      effects: this.effects,
      substitute: (script) => (script ? apart(() => this.#readScript(script, shell.fork(), nothing)) : unknown),
      readInside: (part) => apart(() => this.#parser.forEachChild(part, (child) => void this.#read(child, shell, nothing))),
    });
  }
}

/** The start of the arguments in the script, for the description of a command. */
function sourcesOf(args: readonly Arg[]): string[] {
  const sources = args.slice(0, 20).map(({ source }) => source.slice(0, 400));
  // One word of the source may be several arguments.
  return sources.filter((source, index) => source !== sources[index - 1]);
}

function inputFrom(arg: Arg | undefined, shell: Shell): Input {
  if (!arg || !isKnown(arg.text) || arg.origin) return arg?.origin ?? unknown;
  return shell.contentOf(arg.text) ?? { kind: "file" };
}

/** Records the contents of files. */
function store(output: Input, files: readonly Arg[], shell: Shell): Input {
  for (const { text } of files) shell.remember(text, output);
  return output;
}

function isPattern(path: string): boolean {
  const open = path.indexOf("[");
  return /[*?]/.test(path) || (open >= 0 && path.includes("]", open + 2));
}

/** Whether a function calls itself in a pipeline or in the background, which multiplies its processes. */
function startsItself(parser: Parser, body: SyntaxNode, name: string): boolean {
  let found = false;
  const look = (node: SyntaxNode, isMultiplied: boolean) => {
    if (found || node.type === "Word") return;
    if (node.type === "Command") found = isMultiplied && node.name?.value === name;
    const multiplies = isPipe(node) || (node.type === "Statement" && node.background === true);
    parser.forEachChild(node, (child) => look(child, isMultiplied || multiplies));
  };
  look(body, false);
  return found;
}

function isPipe(node: SyntaxNode | CommandNode): boolean {
  return node.type === "Pipeline" && node.commands.length > 1;
}
