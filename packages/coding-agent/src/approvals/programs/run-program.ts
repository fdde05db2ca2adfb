import type { Action, Call } from "../shell/call.ts";
import { hole, type Input, unknown } from "../shell/shell.ts";
import { plainArg } from "../shell/words.ts";
import { actions, preparations } from "./actions.ts";
import { type Program, type Row, readTable, type Step } from "./read-table.ts";
import { runFile } from "./running.ts";
import { table } from "./table/index.ts";

const findProgram = readTable(table);

/** Programs whose names may end with a version. */
const versioned = /^(python|pypy|ipython|perl|ruby|php|lua|luajit|mkfs|fsck|newfs)[\d.]*(\.\w+)?$/;

/** Reports what a command does, by its name or path. A command that is not in the table is unknown. */
export function runProgram(path: string, call: Call): Input {
  const { name } = call;
  const program = findProgram(name) ?? findProgram(versioned.exec(name)?.[1] ?? "");
  // A program of the project may have the name of another one.
  const isOwn = path.includes("/") && !/^(\/usr(\/local)?)?\/s?bin\/|^\/opt\/homebrew\/bin\/|node_modules\/\.bin\//.test(path);
  if (isOwn || (!program && path.includes("/"))) runFile(call, plainArg(path), (text) => call.runText(plainArg(text)));
  else if (!program) call.does("unknown");
  return (program && runKnown(program, call)) ?? unknown;
}

function runKnown({ valued, valuedOf, steps, rows, isOpen }: Program, given: Call): Input | undefined {
  const call = steps.reduce((at, { action, on }) => preparations[action]?.(at, on) ?? at, given.with({ valued }));
  if (rows.length === 0) return runSteps(steps, call);
  if (call.has("--help")) return undefined;
  const [verb, ...rest] = call.with({ stops: true }).operands;
  if (isOpen && verb?.text.startsWith(hole)) return call.does("unknownCommand");
  const ofVerb = valuedOf.get(verb?.text ?? "");
  const inside = verb && ofVerb ? call.with({ args: [verb, ...rest], valued: ofVerb }) : call;
  const chosen = chooseRows(rows, inside);
  const output = chosen.some(({ isOnly }) => isOnly) ? undefined : runSteps(steps, call);
  if (isOpen && chosen.length === 0) call.does("unknown");
  return chosen.reduce((result, row) => runSteps(row.steps, afterWords(inside, row)) ?? result, output);
}

/** The call with the arguments behind the words of a row. */
function afterWords(call: Call, { words }: Row): Call {
  const last = call.operands[words.length - 1];
  return last ? call.with({ args: call.args.slice(call.args.indexOf(last) + 1) }) : call;
}

function runSteps(steps: readonly Step[], call: Call): Input | undefined {
  // The options of a program that runs another one are before that one.
  const at = steps.some(({ action }) => action === "runs") ? call.with({ stops: true }) : call;
  return steps.reduce<Input | undefined>((output, { action, on }) => (actions[action] as Action)(at, on) ?? output, undefined);
}

/** The rows for a call: all that name an option, otherwise the one with the most words. */
function chooseRows(rows: readonly Row[], call: Call): readonly Row[] {
  const words = call.operands.slice(0, 6).map(({ text }) => text);
  const known = rows.filter(
    (row) =>
      row.words.every((choices, index) => choices.some((choice) => isWord(choice, words[index]))) &&
      row.options.every((choices) => choices.some((choice) => isGiven(choice, call))),
  );
  const only = known.filter(({ isOnly }) => isOnly);
  const counting = only.length > 0 ? only : known;
  const withOptions = counting.filter(({ options }) => options.length > 0);
  if (withOptions.length > 0) return withOptions;
  // `db:drop*` says more than `*`.
  const rank = (row: Row) => row.words.length * 2 + (row.words[0]?.includes("*") ? 0 : 1);
  const best = counting.reduce<Row | undefined>((most, row) => (most && rank(most) >= rank(row) ? most : row), undefined);
  return best ? [best] : [];
}

function isWord(choice: string, word: string | undefined): boolean {
  if (word === undefined || !choice.includes("*")) return choice === word;
  const pieces = choice.split("*");
  const [start = ""] = pieces;
  const end = pieces.at(-1) ?? "";
  const inner = pieces.slice(1, -1).every((piece) => word.includes(piece));
  return word.length >= start.length + end.length && word.startsWith(start) && word.endsWith(end) && inner;
}

/** `-f` and `--force` as options; `-delete`, `--rebase=*` and other longer ones as they are written; `{}` if the call is repeated, `()` without arguments. */
function isGiven(choice: string, call: Call): boolean {
  if (choice === "{}") return call.isRepeated;
  if (choice === "()") return call.args.length === 0;
  if (choice.length === 2 || (choice.startsWith("--") && !choice.includes("*"))) return call.has(choice);
  return call.args.some(({ text }) => isWord(choice, text));
}
