import { commandOf, type RuledCall } from "./rules.ts";

/** Maximum characters of a rule. */
const maxLength = 10_000;

/**
 * Programs whose first argument names what they do, so that their further arguments seldom change the risk. Programs that run other code by
 * their arguments, such as docker, npx and node, are not in the list.
 */
const programsWithSubcommands: ReadonlySet<string> = new Set([
  ...["git", "cargo", "go", "npm", "pnpm", "yarn", "bun", "make", "just", "gradle", "mvn", "dotnet", "swift", "bundle"],
]);
/** Subcommands after which the next word names a script or a program. */
const runners: ReadonlySet<string> = new Set(["run", "exec", "x", "dlx", "tool"]);

/**
 * The rule that would allow a call without a question:
 *
 * - `write` and `edit`: all files in the working folder, or this one file if it is outside of it, or needs a question by itself
 * - `bash` without a risk: the same program and subcommand (`git status`, `npm run build`), if the command is one call of plain words and the
 *   program is known to have subcommands; otherwise exactly the same command
 * - every other risky call: exactly the same call
 * - other tools: all calls
 *
 * @returns undefined if there is none: the call is too long, or the rule would allow more.
 */
export function suggestRule({ name, isBuiltIn, mcpName, params, assessment }: RuledCall): string | undefined {
  const isRisky = assessment.findings.some((finding) => finding.isRisky);
  const rule = () => {
    if (isBuiltIn && (name === "write" || name === "edit")) {
      const [target] = assessment.touched ?? [];
      if (!isRisky) return `${name}(**)`;
      return target && `${name}(${target.path.replace(/[*?[\]{}\\]/g, "\\$&")})`;
    }
    if (isBuiltIn && name === "bash") {
      const command = commandOf(params);
      const words = isRisky ? undefined : subcommandOf(command);
      if (words !== undefined) return `bash(${words}:*)`;
      return command.endsWith(":*") ? undefined : `bash(${command})`;
    }
    if (isRisky) return `${name}(${JSON.stringify(params)})`;
    return mcpName === undefined ? name : `mcp(${mcpName})`;
  };
  const text = rule();
  return text === undefined || text.length > maxLength ? undefined : text;
}

/** The program and its subcommand, such as `git push`; undefined if only the whole command says what it does. */
function subcommandOf(command: string): string | undefined {
  // Letters, digits and a few harmless characters: no quotes, variables, pipes, redirections and further commands.
  if (!/^[\w@%+=:,./ -]+$/.test(command)) return undefined;
  const [program = "", first = "", second = ""] = command.trim().split(/ +/);
  const isName = (word: string) => /^[a-z][\w:.-]*$/i.test(word);
  if (!programsWithSubcommands.has(program) || !isName(first)) return undefined;
  if (!runners.has(first)) return `${program} ${first}`;
  return isName(second) ? `${program} ${first} ${second}` : undefined;
}
