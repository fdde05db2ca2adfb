import { basename, dirname } from "node:path";
import type { Action } from "../shell/call.ts";
import { hole, type Input, isKnown, nothing, unknown } from "../shell/shell.ts";
import { type Arg, plainArg } from "../shell/words.ts";

/** Builtins of the shell, and programs that print their arguments. */
export const builtins: Record<string, Action> = {
  enters({ args, shell }) {
    const target = args.find(({ text }) => text === "-" || !text.startsWith("-"));
    // `-` is the previous folder, which is not tracked.
    shell.folder = target?.text === "-" ? hole : shell.enter(target?.text ?? shell.home);
    return nothing;
  },
  leaves({ shell }) {
    shell.folder = hole;
    return nothing;
  },
  /** Variables from the input: each line may be the value, if it is one word. */
  sets({ input, shell, operands }) {
    const text = input.kind === "text" ? input.text.trim() : hole;
    const values = /[ \t]/.test(text) ? [hole] : text.split("\n");
    for (const { text: name } of operands) shell.assign(name, values);
    return nothing;
  },
  /** `export` and similar: their assignments stay in effect. */
  declares({ args, shell }) {
    for (const { text } of args) {
      const [, name, value = ""] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
      if (name !== undefined) shell.assign(name, [value]);
    }
    return nothing;
  },
  aliases({ args, shell }) {
    for (const { text } of args) {
      const [, name, value = ""] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
      if (name !== undefined) shell.definitions.aliases.set(name, value);
    }
    return nothing;
  },
  echoes: ({ args }) => printed(args.filter(({ text }) => !/^-[neE]+$/.test(text))),
  formats({ args, shell }) {
    const [format, ...values] = args;
    if (format?.text === "-v" && values[0]) shell.assign(values[0].text, [hole]);
    // Only the text of the format is used, not the formatted values.
    const words = format?.text.replace(/%[-+ #0-9.]*[a-zA-Z]/g, " ").replaceAll("\\n", "\n");
    return printed([plainArg(words ?? hole), ...values]);
  },
  /** `cat`: its files, or its input. */
  printsFiles(call) {
    const { operands, shell, input } = call;
    if (operands.length === 0 || operands.some(({ text }) => text === "-")) return input;
    const contents = operands.map(({ text, origin }) => origin ?? shell.contentOf(text));
    const isFile = operands.every(({ text }) => isKnown(text));
    return contents.find((content) => content !== undefined) ?? (isFile ? { kind: "file" } : unknown);
  },
  printsFolder: ({ shell }) => ({ kind: "text", text: shell.folder }),
  /** `dirname`, `basename` */
  printsPart({ args: [first = plainArg(hole)], name }) {
    if (first.text.startsWith("-")) return unknown;
    return { kind: "text", text: name === "dirname" ? dirname(first.text) : basename(first.text) };
  },
  /** A file or folder in the folder for temporary files. `-p` chooses another folder. */
  makesTemporary(call) {
    const folders = call.values("-p|--tmpdir");
    const [name] = call.has("-t|-p|--tmpdir") ? [] : call.operands;
    call.writes(name ? [{ ...name, text: dirname(name.text) }] : folders);
    return { kind: "text", text: name?.text ?? `${folders[0]?.text ?? "/tmp"}/new` };
  },
};

function printed(args: readonly Arg[]): Input {
  const text = args.map((arg) => arg.text).join(" ");
  return isKnown(text)
    ? { kind: "text", text: `${text}\n` }
    : (args.find(({ origin }) => origin?.kind === "download")?.origin ?? unknown);
}
