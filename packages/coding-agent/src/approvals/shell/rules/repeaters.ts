import { describe, type Rule } from "../call.ts";
import { readOptions } from "../options.ts";
import { type Input, nothing, unknown } from "../shell.ts";
import { type Arg, plainArg, unknownArg } from "../words.ts";
import { runArg } from "./shells.ts";

const find: Rule = (call) => {
  const { args, reader, shell } = call;
  const start = args.findIndex(({ text }) => text !== undefined && /^(-[^HLPOD]|-D.|[(!])/.test(text));
  const before = start === -1 ? args : args.slice(0, start);
  const folders = before.filter(({ text }) => !text?.startsWith("-"));
  const found = (folders.length > 0 ? folders : [plainArg(".")]).map((folder) => below(folder));
  for (let index = Math.max(start, 0); index < args.length; index++) {
    const test = args[index]?.text;
    if (test === "-delete") reader.risk("deletion", describe(call));
    if (test !== undefined && /^-f(print0?|printf|ls)$/.test(test) && args[index + 1]) reader.writes(args[index + 1] as Arg, shell);
    if (test === undefined || !/^-(exec|ok)(dir)?$/.test(test)) continue;
    const end = args.findIndex(({ text }, position) => position > index && (text === ";" || text === "+"));
    const words = args.slice(index + 1, end === -1 ? args.length : end);
    reader.run(substitute(words, "{}", found), { input: nothing, shell: shell.fork(), isRepeated: true });
    index = end === -1 ? args.length : end;
  }
  return toFiles(folders);
};

const xargs: Rule = (call) => {
  const options = readOptions(
    call.args,
    "I n P L s d E a max-args max-procs max-lines delimiter arg-file replace process-slot-var",
    {
      untilOperand: true,
    },
  );
  const names = argsFrom(options.has("a", "arg-file") ? unknown : call.input);
  const mark = options.values("I", "replace")[0]?.text ?? (options.has("i", "replace") ? "{}" : undefined);
  const { operands } = options;
  if (operands.length === 0) return unknown;
  const words = mark === undefined ? [...operands, ...names] : substitute(operands, mark, names);
  return call.reader.run(words, { input: nothing, shell: call.shell.fork(), isRepeated: true });
};

const parallel: Rule = (call) => {
  const { operands } = readOptions(call.args, "j jobs n N I colsep joblog results", { untilOperand: true });
  const end = operands.findIndex(({ text }) => text !== undefined && /^:::/.test(text));
  const words = end === -1 ? operands : operands.slice(0, end);
  const values = end === -1 ? argsFrom(call.input) : operands.slice(end + 1);
  const [first] = words;
  const repeated = { input: nothing, shell: call.shell.fork(), isRepeated: true };
  if (!first) {
    for (const value of values) runArg(call, value, call.shell.fork());
    return unknown;
  }
  // A single word with spaces is a shell command.
  if (words.length === 1 && first.text?.includes(" ")) return runArg({ ...call, ...repeated }, first, repeated.shell);
  const hasMark = words.some(({ text }) => text?.includes("{}"));
  return call.reader.run(hasMark ? substitute(words, "{}", values) : [...words, ...values], repeated);
};

/** `fd -x command`. */
const fd: Rule = (call) => {
  const { args } = call;
  const at = args.findIndex(({ text }) => text !== undefined && ["-x", "-X", "--exec", "--exec-batch"].includes(text));
  if (at !== -1) {
    const words = args.slice(at + 1);
    const found = [plainArg("./found")];
    const hasMark = words.some(({ text }) => text?.includes("{"));
    const full = hasMark ? substitute(words, "{}", found) : [...words, ...found];
    call.reader.run(full, { input: nothing, shell: call.shell.fork(), isRepeated: true });
  }
  return { kind: "files", folders: ["."] };
};

/** The arguments that a program such as xargs creates from its input. */
function argsFrom(input: Input): Arg[] {
  if (input.kind === "files") return input.folders.map((folder) => plainArg(`${folder}/found`));
  if (input.kind !== "text") return [unknownArg("its input", input)];
  const fields = input.text.split(/\s+/).filter((field) => field !== "");
  return fields.map(plainArg);
}

function below(folder: Arg): Arg {
  return folder.text === undefined ? folder : { ...folder, text: `${folder.text}/found` };
}

function toFiles(folders: readonly Arg[]): Input {
  const texts = folders.map(({ text }) => text);
  if (texts.includes(undefined)) return unknown;
  return { kind: "files", folders: texts.length > 0 ? texts.filter((text) => text !== undefined) : ["."] };
}

/** Limits of substitutions: commands need less, and the work stays short. */
const maxValues = 50;
const maxProduct = 1_000_000;

/** Replaces a placeholder by each of the values. */
function substitute(words: readonly Arg[], mark: string, values: readonly Arg[]): Arg[] {
  const isTooMuch = (text: string) =>
    values.length > maxValues || values.some((value) => (value.text?.length ?? 0) * text.length * values.length > maxProduct);
  return words.flatMap((word) => {
    const { text } = word;
    if (mark === "" || !text?.includes(mark)) return [word];
    if (isTooMuch(text)) return [unknownArg(word.source)];
    return values.map((value) =>
      value.text === undefined
        ? { ...unknownArg(word.source, value.origin), tail: text.slice(text.lastIndexOf(mark) + mark.length) }
        : { ...word, text: text.replaceAll(mark, () => value.text as string) },
    );
  });
}

export const repeaterRules = new Map<string, Rule>([
  ["find", find],
  ["xargs", xargs],
  ["parallel", parallel],
  ["fd", fd],
  ["fdfind", fd],
]);
