import type { Action, Call } from "../shell/call.ts";
import { hole, type Input, isKnown, nothing, unknown } from "../shell/shell.ts";
import { type Arg, fieldsOf, plainArg } from "../shell/words.ts";

/** Programs that run a command for each of many files. */
export const repeating: Record<string, Action> = {
  finds(call) {
    const { args } = call;
    const start = args.findIndex(({ text }) => /^(-[^HLPOD]|-D.|[(!])/.test(text));
    const before = (start === -1 ? args : args.slice(0, start)).filter(({ text }) => !text.startsWith("-"));
    const folders = before.length > 0 ? before : [plainArg(".")];
    call.reads(folders);
    const tests = start === -1 ? [] : args.slice(start);
    const found = folders.flatMap((folder) => below(folder, tests));
    for (let index = 0; index < tests.length; index++) {
      const test = tests[index]?.text ?? "";
      if (test === "-delete") call.deletes(found, true);
      if (/^-f(print0?|printf|ls)$/.test(test)) call.writes(tests.slice(index + 1, index + 2));
      if (!/^-(exec|ok)(dir)?$/.test(test)) continue;
      const length = tests.slice(index).findIndex(({ text }) => text === ";" || text === "+");
      const end = length === -1 ? tests.length : index + length;
      repeat(call, tests.slice(index + 1, end), "{}", found);
      index = end;
    }
    return printed(found);
  },
  /** `fd -x command` */
  findsNames(call) {
    const { args } = call;
    const at = args.findIndex(({ text }) => /^(-x|-X|--exec|--exec-batch)$/.test(text));
    const found = [plainArg("./*")];
    if (at !== -1) repeatOrAppend(call, args.slice(at + 1), found);
    return printed(found);
  },
  repeats(call) {
    const options = call.with({ stops: true });
    const { operands } = options;
    const values = options.has("-a|--arg-file") ? [plainArg(hole)] : argumentsFrom(call.input);
    const mark = options.values("-I|--replace")[0]?.text ?? (options.has("-i|--replace") ? "{}" : undefined);
    if (operands.length === 0) return unknown;
    return mark === undefined ? repeat(call, [...operands, ...values], "", []) : repeat(call, operands, mark, values);
  },
  repeatsInParallel(call) {
    const { operands } = call.with({ stops: true });
    const end = operands.findIndex(({ text }) => text.startsWith(":::"));
    const words = end === -1 ? operands : operands.slice(0, end);
    const values = end === -1 ? argumentsFrom(call.input) : operands.slice(end + 1);
    const isScript = words.length === 1 && words[0]?.text.includes(" ");
    // A single word with spaces is a shell command, and so is each value without a command.
    if (words.length > 0 && !isScript) return repeatOrAppend(call, words, values);
    const scripts = isScript ? substitute(words, "{}", values) : values;
    for (const script of scripts) call.with({ isRepeated: true, input: nothing }).runText(script);
    return unknown;
  },
};

function printed(found: readonly Arg[]): Input {
  const text = found.map((arg) => arg.text).join("\n");
  return isKnown(text) ? { kind: "text", text } : unknown;
}

function repeat(call: Call, words: readonly Arg[], mark: string, values: readonly Arg[]): Input {
  return call.run(substitute(words, mark, values), { input: nothing, shell: call.shell.fork(), isRepeated: true });
}

function repeatOrAppend(call: Call, words: readonly Arg[], values: readonly Arg[]): Input {
  const hasMark = words.some(({ text }) => text.includes("{"));
  return hasMark ? repeat(call, words, "{}", values) : repeat(call, [...words, ...values], "", []);
}

/** The paths that `find` finds, with the names that it looks for. */
function below(folder: Arg, tests: readonly Arg[]): Arg[] {
  const names = tests.flatMap(({ text }, index) => {
    const value = tests[index + 1]?.text ?? "";
    const isName = /^-i?(name|path)$/.test(text) && tests[index - 1]?.text !== "!";
    return isName ? [value.slice(value.replace(/\/\*?$/, "").lastIndexOf("/") + 1)] : [];
  });
  const count = (...words: string[]) => tests.filter(({ text }) => words.includes(text)).length;
  const choices = count("-o", "-or");
  // A name that is left out says nothing about the others.
  const isPlain = names.length > 0 && count("!", "-not") === 0;
  const isClear = isPlain && (choices === 0 || (choices === names.length - 1 && count("-prune") === 0));
  return (isClear ? names : ["*"]).map((name) => ({ ...folder, text: `${folder.text}/*/${name}` }));
}

/** The arguments that a program such as xargs creates from its input. */
function argumentsFrom(input: Input): Arg[] {
  return input.kind === "text" ? fieldsOf(input.text).map(plainArg) : [{ text: hole, source: "its input", origin: input }];
}

/** Limits of substitutions: commands need less, and the work stays short. */
const maxValues = 50;
const maxProduct = 1_000_000;

/** Replaces a placeholder by each of the values. */
function substitute(words: readonly Arg[], mark: string, values: readonly Arg[]): Arg[] {
  const longest = Math.max(0, ...values.slice(0, maxValues).map(({ text }) => text.length));
  return words.flatMap((word) => {
    if (mark === "" || !word.text.includes(mark)) return [word];
    if (values.length > maxValues || longest * word.text.length * values.length > maxProduct) return [{ ...word, text: hole }];
    return values.map(({ text, origin }) => ({ ...word, origin, text: word.text.replaceAll(mark, () => text) }));
  });
}
