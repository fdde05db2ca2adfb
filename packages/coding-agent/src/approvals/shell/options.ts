import type { Arg } from "./words.ts";

/** The options and operands of a command. */
export interface Options {
  operands: readonly Arg[];
  /** Names without dashes, in order, with their values. */
  given: readonly { name: string; value: Arg | undefined }[];
}

/**
 * Separates options and operands like `getopt`: letters may be combined, a value may be attached, `--` ends the options.
 *
 * @param valued - The names of options with a value.
 * @param untilOperand - Whether the first operand ends the options, as in commands that run other commands.
 */
export function readOptions(args: readonly Arg[], valued: ReadonlySet<string>, untilOperand: boolean): Options {
  const given: Options["given"][number][] = [];
  const operands: Arg[] = [];
  let index = 0;
  const give = (name: string, arg: Arg, attached: string | undefined) => {
    if (attached !== undefined) given.push({ name, value: { ...arg, text: attached } });
    else given.push({ name, value: valued.has(name) ? args[index++] : undefined });
  };
  while (index < args.length) {
    const arg = args[index++] as Arg;
    const { text } = arg;
    if (text === "--") break;
    const [name = "", value] = text.replace(/^--?/, "").split(/=(.*)/s);
    // Some programs have long names with one dash: `go test -exec program`.
    const isLong = text.startsWith("--") || (text.startsWith("-") && name.length > 1 && valued.has(name));
    if (isLong) {
      give(name, arg, value);
    } else if (text.startsWith("-") && text !== "-") {
      const letters = [...text.slice(1)];
      const at = letters.findIndex((letter) => valued.has(letter));
      for (const letter of at === -1 ? letters : letters.slice(0, at)) give(letter, arg, undefined);
      if (at !== -1) give(letters[at] as string, arg, at + 2 < text.length ? text.slice(at + 2) : undefined);
    } else {
      operands.push(arg);
      if (untilOperand) break;
    }
  }
  return { given, operands: [...operands, ...args.slice(index)] };
}

/** Whether a given name is one of these options, such as `-f` and `--force`. Long names may be abbreviated, as in GNU programs. */
export function isOption(name: string, wanted: readonly string[]): boolean {
  return wanted.some(
    (option) => option === `-${name}` || (option.startsWith(`--${name}`) && (name.length > 1 || option.length === 3)),
  );
}
