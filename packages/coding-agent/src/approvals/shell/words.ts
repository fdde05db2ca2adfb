import type { ParsedScript, Word, WordPart } from "unbash";
import type { EffectList } from "./effects.ts";
import { type Input, type Shell, unknown } from "./shell.ts";

const maxAlternatives = 64;
/** Maximum length of a value from variables or braces. */
const maxLength = 4096;

/** An expanded argument of a command. */
export interface Arg {
  /** undefined if it is only known at run time. Wildcards are not expanded. */
  text: string | undefined;
  /** The text in the script. */
  source: string;
  /** The text after the last part that is only known at run time. */
  tail: string;
  /** The kind of output of its substitutions, if their text is not known. */
  origin: Input | undefined;
  /** Whether the argument is a process substitution: `<(…)`. */
  isProcess: boolean;
}

/** Creates an argument with a known text. */
export function plainArg(text: string): Arg {
  return { text, source: text, tail: text, origin: undefined, isProcess: false };
}

/** Creates an argument that is only known at run time. */
export function unknownArg(source: string, origin?: Input): Arg {
  return { text: undefined, source, tail: "", origin, isProcess: false };
}

export interface WordContext {
  shell: Shell;
  effects: EffectList;
  /** Analyses the script of a substitution; returns its output. */
  substitute(script: ParsedScript): Input;
  /** Analyses the scripts inside a part whose own value does not matter. */
  readInside(part: WordPart): void;
}

/** A partly expanded word. */
interface Draft {
  text: string | undefined;
  tail: string;
}

/** Expands a word to its arguments; several for braces, and for variables with several values or with white space. */
export function expandWord(word: Word, context: WordContext): Arg[] {
  const source = word.text;
  if (!word.parts) {
    return [{ ...plainArg(expandTilde(word.value, source, context)), source }];
  }
  const state: Expansion = { origin: undefined, isProcess: false, splits: false };
  let drafts: Draft[] = [{ text: "", tail: "" }];
  for (const [index, part] of word.parts.entries()) {
    let values = partValues(part, false, context, state);
    if (index === 0 && part.type === "Literal") values = [expandTilde(part.value, part.text, context)];
    drafts = extend(drafts, values, context.effects);
  }
  const { origin, isProcess } = state;
  return drafts.flatMap(({ text, tail }) => {
    const texts = text !== undefined && state.splits ? text.split(/\s+/).filter((field) => field !== "") : [text];
    return texts.map((value) => ({ text: value, source, tail, origin, isProcess }));
  });
}

interface Expansion {
  origin: Input | undefined;
  isProcess: boolean;
  /** Whether the word contains an unquoted value, in which white space separates arguments. */
  splits: boolean;
}

function extend(drafts: Draft[], values: readonly (string | undefined)[], effects: EffectList): Draft[] {
  const next = drafts.flatMap((draft) =>
    values.map((value) => {
      if (value === undefined) return { text: undefined, tail: "" };
      const tail = draft.tail + value;
      return { text: draft.text === undefined ? undefined : draft.text + value, tail };
    }),
  );
  // The length of the results counts as work, because braces and variables multiply them.
  if (next.length > 1 || values[0] !== undefined) effects.spend(next.length + (values[0]?.length ?? 0));
  return next.length > maxAlternatives ? [{ text: undefined, tail: "" }] : next;
}

function partValues(part: WordPart, isQuoted: boolean, context: WordContext, state: Expansion): readonly (string | undefined)[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [part.value];
    case "Glob":
      return [part.text];
    case "DoubleQuoted":
    case "LocaleString": {
      let drafts: Draft[] = [{ text: "", tail: "" }];
      for (const child of part.parts) drafts = extend(drafts, partValues(child, true, context, state), context.effects);
      return drafts.map(({ text }) => text);
    }
    case "SimpleExpansion":
      return variableValues(part.text.slice(1), isQuoted, context, state);
    case "ParameterExpansion": {
      context.readInside(part);
      if (part.prefix === "#") return ["0"];
      if (part.prefix !== undefined || part.index !== undefined) return [undefined];
      const values = variableValues(part.parameter, isQuoted, context, state);
      const { operation } = part;
      if (!operation) return values;
      return operation.type === "Remove" ? values.map((value) => cutShort(value, operation)) : [undefined];
    }
    case "CommandExpansion":
      return substitutedValues(part.script, isQuoted, context, state);
    case "ArithmeticExpansion":
      context.readInside(part);
      return ["0"];
    case "ProcessSubstitution": {
      const output = part.script ? context.substitute(part.script) : undefined;
      state.origin = output ?? unknown;
      state.isProcess = true;
      return [undefined];
    }
    case "BraceExpansion":
      context.readInside(part);
      return braceValues(part.text);
    default:
      context.readInside(part);
      return [undefined];
  }
}

function variableValues(name: string, isQuoted: boolean, context: WordContext, state: Expansion): readonly (string | undefined)[] {
  // These are always numbers: the count of arguments, process ids, the last exit code.
  if (["#", "$", "?", "!", "RANDOM", "SECONDS", "UID", "EUID", "LINENO"].includes(name)) return ["0"];
  const values = context.shell.variable(name);
  if (!isQuoted) state.splits = true;
  return values?.map((value) => (value !== undefined && value.length > maxLength ? undefined : value)) ?? [undefined];
}

function substitutedValues(
  script: ParsedScript | undefined,
  isQuoted: boolean,
  context: WordContext,
  state: Expansion,
): readonly (string | undefined)[] {
  const output: Input = script ? context.substitute(script) : unknown;
  if (output.kind === "text") {
    if (!isQuoted) state.splits = true;
    return output.text.length > maxLength ? [undefined] : [output.text.replace(/\n+$/, "")];
  }
  if (output.kind === "files" && output.paths.length <= maxAlternatives) return output.paths;
  if (state.origin?.kind !== "download") state.origin = output;
  return [undefined];
}

/** Removes the end or the folders of a relative path; other operations give an unknown value. */
function cutShort(value: string | undefined, operation: { operator: string; operand: Word }): string | undefined {
  if (value === undefined || value.startsWith("/") || value.includes("..")) return undefined;
  if (operation.operator.startsWith("%")) return value;
  return operation.operator === "##" && operation.operand.text === "*/" ? value.slice(value.lastIndexOf("/") + 1) : undefined;
}

function braceValues(text: string): (string | undefined)[] {
  const inner = text.slice(1, -1);
  if (/[{}$`'"\\]/.test(inner)) return [undefined];
  if (inner.includes("..") && !/[,/]/.test(inner)) return [inner.slice(0, inner.indexOf("."))];
  return inner.split(",", maxAlternatives + 1);
}

function expandTilde(value: string, source: string, { shell }: WordContext): string {
  if (!source.startsWith("~")) return value;
  if (value === "~" || value.startsWith("~/")) return shell.home + value.slice(1);
  // `~+` is the current folder. Other forms are the home of another user, in an unknown place.
  return value === "~+" || value.startsWith("~+/") ? (shell.folder ?? "/") + value.slice(2) : `/${value}`;
}
