import { homedir } from "node:os";
import { basename, join } from "node:path";
import { UsageError } from "../errors.ts";
import { isInside } from "../tools/files/write-target.ts";
import { compileGlob, type Glob } from "../tools/search/glob.ts";
import type { Containment } from "./containment.ts";
import type { Finding, TouchedPath } from "./findings.ts";
import type { Part } from "./shell/effects.ts";
import type { Assessment } from "./verdict.ts";

/** A call, for rules. */
export interface RuledCall {
  /** The name of the tool. */
  name: string;
  isBuiltIn: boolean;
  /** `server/tool` of a tool of an MCP server. */
  mcpName: string | undefined;
  params: unknown;
  /** The working folder, with links resolved. */
  folder: string;
  assessment: Assessment;
  /** Why the call always needs a question, as a text after "it": it wants to leave the sandbox. Undefined if it does not. */
  leaves?: string | undefined;
  /** The sandbox in which the call runs. Undefined without one. */
  containment?: Pick<Containment, "hasNetwork"> | undefined;
}

/** A rule such as `bash(npm test:*)`, `edit(src/**)`, `mcp(server/tool)` or `deploy`. */
export class Rule {
  readonly text: string;
  /** Whether the rule also counts for what `on-risk` asks about. Default: true. */
  readonly coversRisks: boolean;
  readonly #tool: string;
  readonly #pattern: string | undefined;
  readonly #glob: Glob | undefined;

  private constructor(text: string, tool: string, pattern: string | undefined, glob: Glob | undefined, coversRisks: boolean) {
    this.text = text;
    this.#tool = tool;
    this.#pattern = pattern;
    this.#glob = glob;
    this.coversRisks = coversRisks;
  }

  /** @throws {UsageError} `invalid_config` for a text that is no rule, and for an invalid glob. */
  static async parse(text: string, { coversRisks = true } = {}): Promise<Rule> {
    const [, tool, pattern] = rulePattern.exec(text.trim()) ?? [];
    if (tool === undefined) {
      const expected = "Give the name of a tool, or a form such as bash(npm test:*), edit(src/**) or mcp(server/tool).";
      throw new UsageError("invalid_config", `"${text.slice(0, 100)}" in approvalRules is not a rule. ${expected}`);
    }
    const expanded = pattern?.startsWith("~/") ? join(homedir(), pattern.slice(2)) : pattern;
    const glob = expanded !== undefined && isFileTool(tool) ? await compileRuleGlob(expanded, text) : undefined;
    return new Rule(text, tool, glob ? expanded : pattern, glob, coversRisks);
  }

  /** Whether the rule is about the whole call: its tool, exactly its command, or its file. */
  matchesCall({ name, isBuiltIn, mcpName, params, folder, assessment }: RuledCall): boolean {
    const pattern = this.#pattern;
    if (this.#tool === "mcp") return mcpName !== undefined && (pattern === undefined || isLike(pattern, mcpName));
    if (isFileTool(this.#tool)) {
      if (!isBuiltIn || !(toolsOf[this.#tool] ?? []).includes(name)) return false;
      const touched = assessment.touched ?? pathOf(params, folder);
      return pattern === undefined || (touched.length > 0 && touched.every(({ path }) => this.#matchesPath(path, folder)));
    }
    if (this.#tool !== name) return false;
    if (pattern === undefined) return true;
    return name === "bash" ? commandOf(params) === pattern.trim() : JSON.stringify(params) === pattern;
  }

  /** Whether the rule is about a command of a line, or about the one that runs it. */
  matchesPart(part: Part | undefined): boolean {
    if (this.#tool !== "bash" || this.#pattern === undefined) return false;
    const pattern = this.#pattern;
    for (let at = part; at !== undefined; at = at.within) if (matchesWords(pattern, at.words)) return true;
    return false;
  }

  /** The same for a refusal: programs count by their names, too, so that `rm` is also `/bin/rm`. */
  mentionsPart({ words }: Part): boolean {
    if (this.#tool !== "bash" || this.#pattern === undefined) return false;
    const [first = "", ...rest] = words;
    return matchesWords(this.#pattern, words) || matchesWords(this.#pattern, [basename(first), ...rest]);
  }

  /** Whether the rule is about a file that a command writes or deletes. */
  matchesTouched({ kind, path }: Pick<TouchedPath, "kind" | "path">, folder: string): boolean {
    const isMeant = kind === "read" ? this.#tool === "read" : this.#tool === "edit";
    return isMeant && (this.#pattern === undefined || this.#matchesPath(path, folder));
  }

  /** The same for a refusal: a deletion of a folder also deletes the files in it. */
  mentionsTouched(touched: TouchedPath, folder: string): boolean {
    if (this.matchesTouched(touched, folder)) return true;
    if (!touched.isWide || !this.matchesTouched({ ...touched, path: join(folder, this.#start) }, folder)) return false;
    return isInside(touched.path, join(folder, this.#start));
  }

  /** A path that the glob matches, to compare it with folders. */
  get #start(): string {
    return (this.#pattern ?? "").replace(/^\.\//, "").replaceAll("**", "x").replaceAll("*", "x").replaceAll("?", "x");
  }

  #matchesPath(path: string, folder: string): boolean {
    const pattern = this.#pattern ?? "";
    if (pattern.startsWith("/")) return this.#glob?.matches(path.slice(1), false) === true;
    return isInside(folder, path) && this.#glob?.matches(path.slice(folder.length + 1), false) === true;
  }
}

async function compileRuleGlob(glob: string, rule: string): Promise<Glob> {
  try {
    return await compileGlob(glob);
  } catch (cause) {
    throw new UsageError("invalid_config", `The rule ${rule} of approvalRules cannot be used: ${(cause as Error).message}`);
  }
}

const rulePattern = /^([\w.-]+)(?:\((.+)\))?$/s;

/** The tools that a rule about files covers. `edit` also covers what commands write and delete, and `read` what they read. */
const toolsOf: Readonly<Record<string, readonly string[]>> = {
  edit: ["edit", "write"],
  write: ["write"],
  read: ["read", "grep", "find", "ls"],
};

function isFileTool(tool: string): boolean {
  return Object.hasOwn(toolsOf, tool);
}

function pathOf(params: unknown, folder: string): Pick<TouchedPath, "path">[] {
  const { path } = (params ?? {}) as { path?: unknown };
  return typeof path === "string" ? [{ path: path.startsWith("/") ? path : join(folder, path) }] : [];
}

export function commandOf(params: unknown): string {
  return String((params as { command?: unknown } | null)?.command).trim();
}

/** `npm test:*` is every command that begins with these words; other patterns are all words of a command. */
function matchesWords(pattern: string, words: readonly string[]): boolean {
  const isStart = pattern.endsWith(":*");
  const wanted = (isStart ? pattern.slice(0, -2) : pattern).split(/\s+/).filter((word) => word !== "");
  return wanted.every((word, index) => words[index] === word) && (isStart || wanted.length === words.length);
}

function isLike(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** The rule that refuses a call, or that asks about it: one match anywhere is enough. */
export function findMention(rules: readonly Rule[], call: RuledCall): Rule | undefined {
  const { parts = [], touched = [] } = call.assessment;
  return rules.find(
    (rule) =>
      rule.matchesCall(call) ||
      parts.some((part) => rule.mentionsPart(part)) ||
      touched.some((path) => rule.mentionsTouched(path, call.folder)),
  );
}

/** Whether a call needs no question, because rules allow the whole of it. */
export function isAllowed(rules: readonly Rule[], call: RuledCall, hasRisk: boolean): boolean {
  const counting = rules.filter(({ coversRisks }) => coversRisks || !hasRisk);
  if (counting.some((rule) => rule.matchesCall(call))) return true;
  const { parts = [], touched = [] } = call.assessment;
  const arePartsAllowed = parts.length > 0 && parts.every((part) => counting.some((rule) => rule.matchesPart(part)));
  const rest = touched.filter(({ kind, part }) => kind !== "read" && !counting.some((rule) => rule.matchesPart(part)));
  return (
    arePartsAllowed &&
    withoutAllowed(rules, call).length === 0 &&
    rest.every((path) => counting.some((rule) => rule.matchesTouched(path, call.folder)))
  );
}

/** The reasons to ask that no rule allows. A rule for a command covers what it does; a rule for files covers writes to them. */
export function withoutAllowed(rules: readonly Rule[], call: RuledCall): readonly Finding[] {
  const { findings } = call.assessment;
  if (rules.length === 0) return findings;
  return findings.filter(({ isRisky, part, path }) => {
    const counting = rules.filter(({ coversRisks }) => coversRisks || !isRisky);
    return !counting.some(
      (rule) =>
        rule.matchesCall(call) ||
        rule.matchesPart(part) ||
        (path !== undefined && rule.matchesTouched({ kind: "write", path }, call.folder)),
    );
  });
}
