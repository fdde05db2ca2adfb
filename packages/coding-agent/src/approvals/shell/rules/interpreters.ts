import { type Call, describe, type Rule } from "../call.ts";
import { shorten } from "../findings.ts";
import { readOptions } from "../options.ts";
import { unknown } from "../shell.ts";
import type { Arg } from "../words.ts";
import { runFile } from "./shells.ts";

interface Interpreter {
  /** The letters of options with code. */
  code: string;
  longCode?: string[];
  /** Options with a value that is not code. */
  valued?: string;
  /** The letters of options that replace the script: `python -m`. */
  module?: string;
  /** Whether backquotes start programs. */
  hasBackquotes?: boolean;
}

const interpreters: [RegExp, Interpreter][] = [
  [/^(python|pypy)[\d.]*$/, { code: "c", valued: "W X", module: "m" }],
  [/^(node|nodejs|bun|tsx|ts-node)$/, { code: "ep", longCode: ["--eval", "--print"], valued: "r C --require --import --loader" }],
  [/^(perl|ruby)[\d.]*$/, { code: "eE", valued: "I r", hasBackquotes: true }],
  [/^php[\d.]*$/, { code: "rBE", valued: "d c", hasBackquotes: true }],
  [/^(lua|luajit)[\d.]*$/, { code: "e", valued: "l" }],
  [/^(Rscript|osascript|tclsh|julia|elixir|groovy)$/, { code: "e", valued: "l" }],
];

/**
 * Words with which code in common languages deletes files or starts programs. The code is not analysed further, so hidden actions are not
 * detected.
 */
const tellTales = [
  ..."rmtree unlink os.remove os.rmdir removedirs rmSync fs.rm rmdirSync rm_rf rm_r remove_tree delete_tree FileUtils.rm".split(
    " ",
  ),
  ..."os.system subprocess popen pty.spawn os.exec child_process execSync spawnSync proc_open shell_exec system( passthru".split(
    " ",
  ),
  "system ",
  "%x",
  "qx",
  "do shell script",
];

function readCode(call: Call, code: string, { hasBackquotes = false } = {}): void {
  const isRisky = tellTales.some((word) => code.includes(word)) || (hasBackquotes && code.includes("`"));
  if (isRisky) call.reader.risk("inlineCode", `${call.name} ${shorten(code)}`);
}

/** Returns the code in options, and the first operand; the arguments after it belong to the script. */
function readArguments(args: readonly Arg[], { code, longCode = [], valued = "", module = "" }: Interpreter) {
  const codes: Arg[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] as Arg;
    const { text } = arg;
    const next = args[index + 1];
    if (text === undefined || text === "-" || !text.startsWith("-")) return { codes, script: arg, isModule: false };
    if (text.startsWith("--")) {
      const [name = "", value] = text.split(/=(.*)/s);
      const isCode = longCode.includes(name);
      if (isCode && value !== undefined) codes.push({ ...arg, text: value });
      else if (isCode && next) codes.push(next);
      if (value === undefined && (isCode || valued.split(" ").includes(name))) index += 1;
      continue;
    }
    const letters = text.slice(1);
    if (module !== "" && letters.startsWith(module)) return { codes, script: undefined, isModule: true };
    const at = [...letters].findIndex(
      (letter, position) => code.includes(letter) && /^[A-Za-z0-9.]*$/.test(letters.slice(0, position)),
    );
    if (at === -1) {
      if (valued.split(" ").includes(letters)) index += 1;
      continue;
    }
    const attached = letters.slice(at + 1);
    const isCluster = [...attached].every((letter) => code.includes(letter));
    if (!isCluster) codes.push({ ...arg, text: attached });
    else if (next) codes.push(args[++index] as Arg);
  }
  return { codes, script: undefined, isModule: false };
}

function interpret(call: Call, interpreter: Interpreter): void {
  const { codes, script, isModule } = readArguments(call.args, interpreter);
  for (const { text, origin } of codes) {
    if (text !== undefined) readCode(call, text, interpreter);
    else call.reader.risk(origin?.kind === "download" ? "download" : "unknownCommand", describe(call));
  }
  const readsInput = script === undefined || script.text === "-" || script.text === "/dev/stdin";
  if (codes.length > 0 || isModule) editInPlace(call, script);
  else if (readsInput) readInput(call, interpreter);
  else runFile(call, script);
}

/** Handles a program that is read from stdin. */
function readInput(call: Call, interpreter: Interpreter): void {
  const { input } = call;
  if (input.kind === "text") readCode(call, input.text, interpreter);
  else if (input.kind === "download") call.reader.risk("download", describe(call));
  else if (input.kind !== "nothing" && input.kind !== "file") {
    call.reader.risk("unknownCommand", `its input goes to ${describe(call)}`);
  }
}

/** `perl -pi -e code files` */
function editInPlace(call: Call, firstFile: Arg | undefined): void {
  const isInPlace = /^(perl|ruby)/.test(call.name) && call.args.some(({ text }) => text !== undefined && /^-[a-z]*i/.test(text));
  if (!isInPlace || !firstFile) return;
  for (const file of call.args.slice(call.args.indexOf(firstFile))) call.reader.writes(file, call.shell);
}

/** `deno eval code` */
const deno: Rule = (call) => {
  const [verb, first] = readOptions(call.args).operands;
  if (verb?.text === "eval" && first?.text !== undefined) readCode(call, first.text);
  else if (verb?.text === "run" && first) runFile(call, first);
  return unknown;
};

/** Checks the program of awk, which is its first operand. */
export function readAwkProgram(call: Call): undefined {
  const { operands, has } = readOptions(call.args, "F v f field-separator assign file");
  const program = has("f", "file") ? undefined : operands[0]?.text;
  const isRisky = program !== undefined && (/system\s{0,9}\(|\|\s{0,9}"|"\s{0,9}\|/.test(program) || /close\("/.test(program));
  if (isRisky) call.reader.risk("inlineCode", `${call.name} ${shorten(program)}`);
}

/** Finds the rule of an interpreter by its name, which may end with a version. */
export function findInterpreterRule(name: string): Rule | undefined {
  if (name === "deno") return deno;
  const found = interpreters.find(([pattern]) => pattern.test(name));
  return found && ((call) => void interpret(call, found[1]) as undefined);
}
