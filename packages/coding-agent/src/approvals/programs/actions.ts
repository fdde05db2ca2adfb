import type { Action, Call } from "../shell/call.ts";
import { type RiskKind, risks } from "../shell/effects.ts";
import { type Input, nothing, unknown } from "../shell/shell.ts";
import { builtins } from "./builtins.ts";
import { code } from "./code.ts";
import { copying } from "./copying.ts";
import { gitActions } from "./git-actions.ts";
import { remote } from "./remote.ts";
import { repeating } from "./repeating.ts";
import { running } from "./running.ts";

const risky = Object.fromEntries(Object.keys(risks).map((kind) => [kind, (call: Call) => call.does(kind as RiskKind)]));

/** The actions of the table by name. */
export const actions: Readonly<Record<string, Action>> = {
  ...{ ...risky, ...builtins, ...copying, ...running, ...repeating, ...code, ...gitActions, ...remote },
  read: () => undefined,
  reads: (call, on) => call.reads(call.pick(on)),
  writes: (call, on) => call.writes(call.pick(on)),
  deletes: (call, on) => call.deletes(call.pick(on), call.has("-r|-R|--recursive")),
  destroys: (call, on) => call.deletes(call.pick(on), true),
  network: (call) => call.does("network"),
  unknown: (call) => call.does("unknown"),
  prints,
  names,
  /** Of processes that a search finds, or of all of them (-1). */
  killsFound(call) {
    const isFound = call.args.some(({ origin }) => origin?.kind === "processes") || call.input.kind === "processes";
    return call.does(isFound || call.args.slice(1).some(({ text }) => text === "-1") ? "kill" : "unknown");
  },
  ...Object.fromEntries(["inside", "dashes"].map((name) => [name, () => undefined])),
};

/** Actions that change how a call is read, before all others. */
export const preparations: Readonly<Record<string, ((call: Call, on: string) => Call) | undefined>> = {
  /** The program changes to a folder. */
  inside(call, on) {
    const shell = call
      .with({ stops: true })
      .pick(on)
      .reduce((at, { text }) => at.fork({ folder: at.enter(text) }), call.shell);
    return call.with({ shell });
  },
  /** The old syntax of options: `tar xzf file`. */
  dashes(call) {
    const [first, ...rest] = call.args;
    return first && /^[A-Za-z]+$/.test(first.text) ? call.with({ args: [{ ...first, text: `-${first.text}` }, ...rest] }) : call;
  },
};

/** The output of a program: its input as far as `on` says, or a text. */
function prints(call: Call, on: string): Input | undefined {
  const { kind } = call.input;
  const isPassed = kind === "processes" || kind === "download";
  switch (on) {
    case "nothing":
      return nothing;
    case "lines":
      return isPassed || kind === "text" ? call.input : unknown;
    case "changed":
      return isPassed ? call.input : unknown;
    case "processes":
    case "download":
      return { kind: on };
    default:
      return { kind: "text", text: on };
  }
}

/** Names of files: those that the wildcards of the arguments match, or all in the folders that they name. */
function names(call: Call, on: string): Input {
  const paths = call.pick(on).map(({ text }) => (/[*?[]/.test(text) || text === "." ? text : `${text}/*`));
  const known = paths.map((path) => (path === "." ? "./*" : path));
  return { kind: "text", text: (known.length > 0 ? known : ["./*"]).join("\n") };
}
