import { basename } from "node:path";
import type { Action, Call } from "../shell/call.ts";
import { shorten } from "../shell/effects.ts";
import { hole, type Input, unknown } from "../shell/shell.ts";
import { type Arg, plainArg } from "../shell/words.ts";
import { languages, mayChange, sqlChange } from "./languages.ts";
import { runFile, runUnseen } from "./running.ts";

/** `perl -pi -e code files`, also with `-0777` and similar in the same word. */
const inPlace = /^-(?:0[xX]?[\da-fA-F]*|l[0-7]*|[acFlnpsStTuUvwWX])*i/;
/** Files of code with subcommands, such as `manage.py flush`. */
const withCommands = /^(manage\.py|artisan|rails|rake)$/;

/** Interpreters, and the languages of awk and databases. */
export const code: Record<string, Action> = {
  /** Code in options, in a file or in the input. The arguments behind it belong to the code. */
  interprets(call, on) {
    const language = languages[on];
    if (!language || (call.args.length === 1 && /^(-[vVh]|--?version|--help)$/.test(call.args[0]?.text ?? ""))) return undefined;
    const isModule =
      on === "python" && /^-[bBdEiIOqsSuv]*m/.test(call.args.find(({ text }) => !/^-[bBdEiIOqsSuv]+$/.test(text))?.text ?? "");
    if (isModule) return runModule(call);
    // `-pe` is one option with code, and `-i.orig` has a suffix.
    const args = call.args.map((arg) => ({ ...arg, text: arg.text.replace(/^-(pe|ep)$/, "-e").replace(/^(-\w*i)\.\S+$/, "$1") }));
    const valued = new Set(`${language.valued} ${language.code.replace(/-+/g, "").replaceAll("|", " ")}`.split(" "));
    const options = call.with({ args, valued, stops: true });
    const search = (text: string) => {
      if (mayChange(text, language)) call.does("inlineCode", `${call.name} ${shorten(text)}`);
      else call.does("unknown");
      return unknown;
    };
    const [script, ...rest] = options.operands;
    const codes = on === "deno" ? call.operands.slice(0, 1) : options.values(language.code);
    for (const { text, origin } of codes) {
      if (text.startsWith(hole)) call.does(origin?.kind === "download" ? "download" : "unknownCommand");
      else search(text);
    }
    if (codes.length > 0)
      return /perl|ruby/.test(on) && args.some(({ text }) => inPlace.test(text)) ? call.writes(options.operands) : undefined;
    if (!script || script.text === "-" || script.text === "/dev/stdin") {
      return call.input.kind === "nothing" ? call.does("unknown") : runUnseen(call, search);
    }
    runFile(call, script, search);
    const name = basename(script.text);
    return withCommands.test(name) ? call.run([plainArg(name), ...rest]) : undefined;
  },
  /** The program of awk is its first operand: `print > "file"`, `| "command"` and `system()`. */
  awkScript(call) {
    const [program, ...rest] = call.has("-f|--file") ? [] : call.operands;
    const files = program ? rest : call.operands;
    if (!program) call.does("unknown");
    if (call.values("-i|--include").some(({ text }) => text === "inplace")) call.writes(files);
    else call.reads(files);
    if (program) readAwk(call, program);
    return ["processes", "download"].includes(call.input.kind) ? call.input : unknown;
  },
  /** A client of a database: its statements are in options, operands, or its input. */
  queries(call, on) {
    const given = [...call.pick(on), ...call.operands].map(({ text }) => text);
    const texts = call.input.kind === "text" ? [...given, call.input.text] : given;
    const changes = on.includes("--eval") ? documentChange : sqlChange;
    call.does(texts.some((text) => changes.test(text)) ? "data" : "unknown");
    if (texts.some((text) => /^\s*(\.(output|once|save|backup|shell|system)|\\!)|\\!/m.test(text))) call.does("inlineCode");
    return undefined;
  },
};

const documentChange =
  /\b(drop\w*|delete\w*|remove\w*|update\w*|replaceOne|renameCollection|FLUSHALL|FLUSHDB|flushall|flushdb|DEL|del|UNLINK|unlink|CONFIG|SHUTDOWN|shutdown)\b/;

/** `python -m pip` is `pip`. */
function runModule(call: Call): Input | undefined {
  const at = call.args.findIndex(({ text }) => /^-\w*m/.test(text));
  const attached = call.args[at]?.text.replace(/^-\w*?m/, "") ?? "";
  const rest = call.args.slice(at + 1);
  return call.run(attached === "" ? rest : [plainArg(attached), ...rest]);
}

const awkStrings = /"(?:[^"\\\n]|\\.)*"/g;
const awkWritePattern = /\bprintf?\b[^;}\n|]{0,500}?>>?\s*(\S[^;}\n]*)/g;
const awkPipePattern = /\|&?\s*("\d+")|("\d+")\s*\|/g;

function readAwk(call: Call, program: Arg): void {
  if (program.text.startsWith(hole)) call.does("unknownCommand");
  // Strings become numbers, so that the text in them is not seen as code.
  const texts: string[] = [];
  const code = program.text.slice(0, 100_000).replace(awkStrings, (text) => `"${texts.push(text.slice(1, -1)) - 1}"`);
  const textOf = (mark = "") => texts[Number(mark.trim().slice(1, -1))] ?? "";
  for (const [, target = ""] of code.matchAll(awkWritePattern)) {
    if (/^"\d+"\s*$/.test(target)) call.writes([plainArg(textOf(target))]);
    // `print $1 > 5` compares.
    else if (!/^\d+\s*$/.test(target)) call.writes([{ text: hole, source: `> ${target.trim()}` }]);
  }
  for (const [, after, before] of code.matchAll(awkPipePattern))
    call.with({ input: unknown }).runText(plainArg(textOf(after ?? before)));
  if (/\bsystem\s*\(/.test(code)) call.does("inlineCode", `${call.name} ${shorten(program.text)}`);
}
