import { basename } from "node:path";
import type { Rule, Table } from "../shell/call.ts";
import { type Input, unknown } from "../shell/shell.ts";
import { cloud } from "./cloud.ts";
import { rows } from "./family.ts";
import { files } from "./files.ts";
import { git } from "./git.ts";
import { findInterpreter, interpreters } from "./interpreters.ts";
import { network } from "./network.ts";
import { packages } from "./packages.ts";
import { readers } from "./readers.ts";
import { runners, runningVerbs, script } from "./runners.ts";
import { findSystemCommand, system } from "./system.ts";

const tables: readonly Table[] = [readers, files, runners, network, packages, cloud, system, interpreters, { git }, runningVerbs];

/** The rules of all programs, by name. Some programs are in two tables: they run commands, and have other subcommands. */
const rules = new Map<string, Rule[]>();
for (const table of tables) {
  for (const [name, rule] of rows(table)) rules.set(name, [...(rules.get(name) ?? []), rule]);
}

/** Finds the rule of a command by its name or path. A command that no table has is unknown. */
export function findRule(path: string): Rule {
  const name = basename(path);
  const known = rules.get(name) ?? [findInterpreter(name) ?? findSystemCommand(name)].filter((rule) => rule !== undefined);
  // A program of the project may have the name of another one.
  const isOwn = path.includes("/") && !/^(\/usr(\/local)?)?\/s?bin\/|^\/opt\/homebrew\/bin\/|node_modules\/\.bin\//.test(path);
  if (known.length === 0) return path.includes("/") ? script : (call) => call.does("unknown");
  const all = isOwn ? [script, ...known] : known;
  return (call) => all.reduce<Input>((output, rule) => rule(call) ?? output, unknown);
}
