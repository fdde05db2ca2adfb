import { type Call, describe, type Rule } from "../call.ts";
import { type Options, readOptions } from "../options.ts";
import { type Input, unknown } from "../shell.ts";
import type { Arg } from "../words.ts";

/** Analyses an input as a script. If its text is not known, reports a risk, except for existing files. */
export function runInput(call: Call, input: Input): Input {
  switch (input.kind) {
    case "text":
      return call.reader.runText(input.text, call.shell.fork(), { kind: "nothing" });
    case "nothing":
    case "file":
      return unknown;
    case "download":
      call.reader.risk("download", describe(call));
      return unknown;
    default:
      call.reader.risk("unknownCommand", `its input goes to ${describe(call)}`);
      return unknown;
  }
}

/** Analyses the text of an argument as a script. */
export function runArg(call: Call, arg: Arg, shell = call.shell): Input {
  if (arg.text !== undefined) return call.reader.runText(arg.text, shell, call.input);
  call.reader.risk(arg.origin?.kind === "download" ? "download" : "unknownCommand", describe(call));
  return unknown;
}

/** Checks a file that is run as a script. */
export function runFile(call: Call, file: Arg): void {
  const isDownload = file.origin?.kind === "download" || call.shell.isDownload(file.text);
  if (isDownload) call.reader.risk("download", describe(call));
  else if (file.text === undefined && file.tail === "") call.reader.risk("unknownCommand", describe(call));
}

const shell: Rule = (call) => {
  const options = readOptions(call.args, "o O rcfile init-file", { untilOperand: true });
  const [first] = options.operands;
  if (options.has("c", "command")) return first ? runArg(call, first, call.shell.fork()) : unknown;
  const readsInput = first === undefined || options.has("s") || first.text === "-" || first.text === "/dev/stdin";
  if (!readsInput) runFile(call, first);
  return readsInput ? runInput(call, call.input) : unknown;
};

const evaluate: Rule = (call) => {
  const { args } = call;
  const unclear = args.find(({ text }) => text === undefined);
  if (unclear) return runArg(call, unclear);
  return call.reader.runText(args.map(({ text }) => text).join(" "), call.shell, call.input);
};

const source: Rule = (call) => {
  const [file] = readOptions(call.args, "", { untilOperand: true }).operands;
  if (file?.text === "/dev/stdin") return runInput(call, call.input);
  if (file) runFile(call, file);
  return unknown;
};

/** Analyses scripts in the values of options: `su -c`, `script -c`. */
export function runOptionText(call: Call, { values }: Options, ...names: string[]): void {
  for (const text of values(...names)) runArg(call, text, call.shell.fork());
}

const groups: [string, Rule][] = [
  ["sh bash zsh dash ksh mksh ash rbash fish", shell],
  ["eval", evaluate],
  ["source .", source],
];

export const shellRules = new Map(groups.flatMap(([names, rule]) => names.split(" ").map((name) => [name, rule] as const)));
