import type { PendingToolCall } from "@pikit/agent";
import type { Verdict } from "./verdict.ts";

/** The calls that the answer "for this session" allows. */
export interface SessionRule {
  /** Equal for all calls of the rule. */
  key: string;
  /** The calls in words, for the user. */
  scope: string;
}

/** Maximum number of rules of a session, and characters of a rule. */
const maxRules = 1000;
const maxKeyLength = 10_000;

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
 * The rule for a call:
 *
 * - `write` and `edit`: all files in the working folder, or this one file outside of it
 * - `bash` without a risk: the same program and subcommand (`git status`, `npm run build`), if the command is one call of plain words and the
 *   program is known to have subcommands; otherwise exactly the same command
 * - every other risky call: exactly the same call
 * - other tools: all calls
 *
 * @param isBuiltIn - Whether the tool is a built-in one, and not another tool with the same name.
 * @returns undefined if the call is too long to be remembered.
 */
export function sessionRuleOf(
  { tool: { name }, params }: Pick<PendingToolCall, "tool" | "params">,
  { tier, reasons }: Verdict,
  isBuiltIn: boolean,
): SessionRule | undefined {
  const rule = (kind: string, text: string, scope: string): SessionRule | undefined => {
    const key = JSON.stringify([name, kind, text, reasons]);
    return key.length > maxKeyLength ? undefined : { key, scope };
  };
  if (isBuiltIn && (name === "write" || name === "edit")) {
    // The reason names the file.
    return rule("file", "", tier === "confirm_required" ? `every ${name} of this file` : `every ${name} in the working folder`);
  }
  if (isBuiltIn && name === "bash") {
    const command = String((params as { command?: unknown }).command);
    const words = tier === "confirm_required" ? undefined : subcommandOf(command);
    return words === undefined ? rule("command", command, "exactly this command") : rule("program", words, `${words} …`);
  }
  if (tier === "confirm_required") return rule("call", JSON.stringify(params), "exactly this call");
  return rule("tool", "", `every call of ${name}`);
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

/** The rules that the user has allowed. They are forgotten when the session is another one. */
export class SessionRules {
  readonly #keys = new Set<string>();
  #sessionId: string | undefined;

  /** Whether another rule can be added. */
  get hasRoom(): boolean {
    return this.#keys.size < maxRules;
  }

  add({ key }: SessionRule, sessionId: string | undefined): void {
    this.#follow(sessionId);
    if (this.hasRoom) this.#keys.add(key);
  }

  has(rule: SessionRule | undefined, sessionId: string | undefined): boolean {
    this.#follow(sessionId);
    return rule !== undefined && this.#keys.has(rule.key);
  }

  #follow(sessionId: string | undefined): void {
    if (sessionId === this.#sessionId) return;
    this.#sessionId = sessionId;
    this.#keys.clear();
  }
}
