import { files } from "./files.ts";
import { git } from "./git.ts";
import { packages } from "./packages.ts";
import { runners } from "./runners.ts";
import { servers } from "./servers.ts";
import { system } from "./system.ts";

/**
 * The table of known programs. A program is a line with its names, the options that take a value, and what every call does:
 *
 *     cp ditto (S suffix t target-directory) = copies -t|--target-directory
 *
 * Indented lines say more about subcommands and options: what they do, and the patterns of calls that do it. The first words of a pattern
 * are the first operands, options may stand anywhere, `|` separates choices, `*` is any text, `{}` is a call that runs for many files, and
 * `()` is a call without arguments. Patterns with options count together, before those without; of these, the one with the most words
 * counts. After `only`, nothing else counts. Other calls are unknown, unless `=` says what the program does; after `+` they are unknown
 * all the same. `(publish tag)` are the options with a value of a subcommand. Longer lists continue with more indentation.
 *
 *     make (C directory f file) + inside -C|--directory
 *       (publish tag)
 *       system: install|uninstall
 *       only read: -n|--dry-run
 *
 * What a call does is a list of actions, see `actions.ts`, with the arguments that they are about, if these are not all operands: `1`,
 * `2..`, `last`, `init` (all but the last one), the values of options, or a path. Arguments behind a pattern are counted from there.
 */
export const table: string = [files, runners, git, packages, servers, system].join("");
