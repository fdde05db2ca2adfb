import type { Arg } from "./words.ts";

export interface Options {
  operands: Arg[];
  /** Whether one of the options is given: a letter, or a long name, also abbreviated as in GNU programs. */
  has(...names: string[]): boolean;
  /** The values of these options, in order. */
  values(...names: string[]): Arg[];
}

interface Given {
  name: string;
  isLong: boolean;
  value: Arg | undefined;
}

/**
 * Separates options and operands like `getopt`: letters may be combined, a value may be attached, `--` ends the options.
 *
 * @param valued - The names of options with a value, separated by spaces.
 * @param untilOperand - Whether the first operand ends the options, as in commands that run other commands.
 */
export function readOptions(args: readonly Arg[], valued = "", { untilOperand = false } = {}): Options {
  const takesValue = new Set(valued.split(" "));
  const given: Given[] = [];
  const operands: Arg[] = [];
  let index = 0;
  const readLong = (arg: Arg, text: string) => {
    const [, name = "", value] = /^--([^=]*)(?:=(.*))?$/s.exec(text) ?? [];
    const next = value === undefined && takesValue.has(name) ? args[index++] : undefined;
    given.push({ name, isLong: true, value: value === undefined ? next : { ...arg, text: value } });
  };
  const readLetters = (arg: Arg, text: string) => {
    for (let position = 1; position < text.length; position++) {
      const name = text[position] as string;
      if (!takesValue.has(name)) {
        given.push({ name, isLong: false, value: undefined });
        continue;
      }
      const attached = text.slice(position + 1);
      given.push({ name, isLong: false, value: attached === "" ? args[index++] : { ...arg, text: attached } });
      return;
    }
  };
  while (index < args.length) {
    const arg = args[index++] as Arg;
    const { text } = arg;
    if (text === "--") break;
    if (text?.startsWith("--")) readLong(arg, text);
    else if (text?.startsWith("-") && text !== "-") readLetters(arg, text);
    else {
      operands.push(arg);
      if (untilOperand) break;
    }
  }
  operands.push(...args.slice(index));
  const isOneOf = ({ name, isLong }: Given, names: readonly string[]) =>
    names.some((wanted) => (isLong ? name.length > 1 && wanted.length > 1 && wanted.startsWith(name) : wanted === name));
  return {
    operands,
    has: (...names) => given.some((option) => isOneOf(option, names)),
    values: (...names) => given.flatMap((option) => (option.value && isOneOf(option, names) ? [option.value] : [])),
  };
}
