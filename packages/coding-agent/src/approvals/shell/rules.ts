import type { Rule } from "./call.ts";
import { builtinRules } from "./rules/builtins.ts";
import { fileRules } from "./rules/files.ts";
import { git } from "./rules/git.ts";
import { findInterpreterRule, readAwkProgram } from "./rules/interpreters.ts";
import { repeaterRules } from "./rules/repeaters.ts";
import { shellRules } from "./rules/shells.ts";
import { extraRules, findSystemRule, systemRules } from "./rules/system.ts";
import { wrapperRules } from "./rules/wrappers.ts";
import { type Input, unknown } from "./shell.ts";

const tables: ReadonlyMap<string, Rule>[] = [
  shellRules,
  wrapperRules,
  repeaterRules,
  fileRules,
  builtinRules,
  systemRules,
  extraRules,
  new Map<string, Rule>([
    ["git", git],
    ["awk", (call) => readAwkProgram(call)],
  ]),
];

/** The rules of all commands, by name. */
const rules = new Map<string, Rule[]>();
for (const table of tables) {
  for (const [name, rule] of table) rules.set(name, [...(rules.get(name) ?? []), rule]);
}
for (const name of ["gawk", "mawk", "nawk"]) rules.set(name, [...(rules.get(name) ?? []), ...(rules.get("awk") ?? [])]);

/** Finds the rule of a command; undefined for an unknown command, which counts as harmless. */
export function findRule(name: string): Rule | undefined {
  const known = rules.get(name) ?? [findInterpreterRule(name) ?? findSystemRule(name)].filter((rule) => rule !== undefined);
  if (known.length === 0) return undefined;
  return (call) => known.reduce<Input>((output, rule) => rule(call) ?? output, unknown);
}
