import type { ParsedScript, Word, WordPart } from "unbash";
import type { EffectList } from "./effects.ts";
import { hole, type Input, isKnown, type Shell } from "./shell.ts";

const maxAlternatives = 64;
/** Maximum length of a value from variables or braces. */
const maxLength = 4096;

/** An expanded argument of a command. */
export interface Arg {
  /** With holes for the parts that are only known at run time. Wildcards are not expanded. */
  text: string;
  /** The text in the script. */
  source: string;
  /** The output of its substitutions, if their text is not known. */
  origin?: Input | undefined;
}

/** Creates an argument with a known text. */
export function plainArg(text: string): Arg {
  return { text, source: text };
}

export interface WordContext {
  shell: Shell;
  effects: EffectList;
  /** Analyses the script of a substitution; returns its output. */
  substitute(script: ParsedScript | undefined): Input;
  /** Analyses the scripts inside a part whose own value does not matter. */
  readInside(part: WordPart): void;
}

interface Expansion extends WordContext {
  origin: Input | undefined;
  /** Whether the word contains an unquoted value, in which white space separates arguments. */
  splits: boolean;
}

/** Expands a word to its arguments; several for braces, and for variables with several values or with white space. */
export function expandWord(word: Word, context: WordContext): Arg[] {
  const source = word.text;
  const state: Expansion = { ...context, origin: undefined, splits: false };
  const texts = word.parts ? joinParts(word.parts, false, state) : [word.value];
  return texts.flatMap((given) => {
    const text = source.startsWith("~") ? expandTilde(given, context.shell) : given;
    const fields = state.splits && isKnown(text) ? fieldsOf(text) : [text];
    return fields.map((field) => ({ text: field, source, origin: state.origin }));
  });
}

/** The parts of a text between white space. */
export function fieldsOf(text: string): string[] {
  return text.split(/\s+/).filter((field) => field !== "");
}

function joinParts(parts: readonly WordPart[], isQuoted: boolean, state: Expansion): string[] {
  return parts.reduce<string[]>(
    (drafts, part) => {
      const values = partValues(part, isQuoted, state);
      const next = drafts.flatMap((draft) => values.map((value) => draft + value));
      // The length of the results counts as work, because braces and variables multiply them.
      state.effects.spend(next.length + (values[0]?.length ?? 0));
      return next.length > maxAlternatives ? [hole] : next;
    },
    [""],
  );
}

function partValues(part: WordPart, isQuoted: boolean, state: Expansion): readonly string[] {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return [part.value];
    case "Glob":
      return [part.text];
    case "DoubleQuoted":
    case "LocaleString":
      return joinParts(part.parts, true, state);
    case "SimpleExpansion":
      return variableValues(part.text.slice(1), isQuoted, state);
    case "ParameterExpansion": {
      state.readInside(part);
      const { operation, prefix, index, parameter } = part;
      if (prefix === "#") return ["0"];
      if (prefix !== undefined || index !== undefined) return [hole];
      const values = variableValues(parameter, isQuoted, state);
      if (!operation) return values;
      return operation.type === "Remove" ? values.map((value) => cutShort(value, operation)) : [hole];
    }
    case "CommandExpansion":
      return substitutedValues(state.substitute(part.script), isQuoted, state);
    case "ProcessSubstitution":
      state.origin = state.substitute(part.script);
      return ["/dev/fd/63"];
    default:
      state.readInside(part);
      if (part.type === "ArithmeticExpansion") return ["0"];
      return part.type === "BraceExpansion" ? braceValues(part.text) : [hole];
  }
}

/** These are always numbers: the count of arguments, process ids, the last exit code. */
const numbers: ReadonlySet<string> = new Set(["#", "$", "?", "!", "RANDOM", "SECONDS", "UID", "EUID", "LINENO"]);

function variableValues(name: string, isQuoted: boolean, state: Expansion): readonly string[] {
  if (numbers.has(name)) return ["0"];
  if (!isQuoted) state.splits = true;
  return state.shell.variable(name).map((value) => (value.length > maxLength ? hole : value));
}

function substitutedValues(output: Input, isQuoted: boolean, state: Expansion): readonly string[] {
  if (output.kind === "text") {
    if (!isQuoted) state.splits = true;
    return [output.text.length > maxLength ? hole : output.text.replace(/\n+$/, "")];
  }
  if (state.origin?.kind !== "download") state.origin = output;
  return [hole];
}

/** Removes the end or the folders of a relative path; other operations give an unknown value. */
function cutShort(value: string, { operator, operand }: { operator: string; operand: Word }): string {
  if (value.startsWith("/") || value.includes("..")) return hole;
  if (operator.startsWith("%")) return value;
  return operator === "##" && operand.text === "*/" ? value.slice(value.lastIndexOf("/") + 1) : hole;
}

function braceValues(text: string): string[] {
  const inner = text.slice(1, -1);
  if (/[{}$`'"\\]/.test(inner)) return [hole];
  if (inner.includes("..") && !/[,/]/.test(inner)) return [inner.slice(0, inner.indexOf("."))];
  return inner.split(",", maxAlternatives + 1);
}

function expandTilde(value: string, shell: Shell): string {
  if (value === "~" || value.startsWith("~/")) return shell.home + value.slice(1);
  // `~+` is the current folder. Other forms are the home of another user, in an unknown place.
  return value === "~+" || value.startsWith("~+/") ? shell.folder + value.slice(2) : `/${value}`;
}
