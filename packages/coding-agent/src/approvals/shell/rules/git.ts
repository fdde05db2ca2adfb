import { type Call, describe, type Reader, type Rule } from "../call.ts";
import type { RiskKind } from "../findings.ts";
import { type Options, readOptions } from "../options.ts";
import { type Input, type Shell, unknown } from "../shell.ts";
import { type Arg, plainArg } from "../words.ts";

/** Subcommands that change nothing, so that their folder does not matter. */
const readers = new Set(
  (
    "status log diff show rev-parse rev-list ls-files ls-tree ls-remote describe blame grep cat-file shortlog whatchanged show-ref " +
    "for-each-ref merge-base name-rev count-objects fsck help version var check-ignore diff-tree diff-index"
  ).split(" "),
);

interface GitCall extends Options {
  call: Call;
  shell: Shell;
  args: readonly Arg[];
  reader: Reader;
}

type GitRule = (git: GitCall) => RiskKind | undefined;

/** A name that looks like another commit than the current one. */
const otherCommit = /[~^]|@\{|^(ORIG_HEAD|FETCH_HEAD|MERGE_HEAD)$|^[\da-f]{7,40}$|^(origin|upstream)\//;
const wholeTree = /^(\.|:\/|:\(top\)|\*|\.\/)$/;

const isWhole = ({ text }: Arg) => text !== undefined && wholeTree.test(text);
const isOther = ({ text }: Arg) => text !== undefined && otherCommit.test(text);
const first = ({ operands }: Options) => operands[0]?.text;

const rules: Record<string, GitRule> = {
  push: ({ has, operands }) => {
    const overwrites = has("f", "force", "force-with-lease", "force-if-includes", "mirror", "prune", "d", "delete");
    return overwrites || operands.some(({ text, source }) => /^[+:]/.test(text ?? source)) ? "forcePush" : undefined;
  },
  rebase: ({ has }) => (has("abort", "quit", "show-current-patch") ? undefined : "history"),
  pull: ({ has, args }) => {
    const rebases = has("r") || args.some(({ text }) => text !== undefined && /^--rebase($|=(?!false))/.test(text));
    return rebases || has("f", "force") ? "history" : undefined;
  },
  fetch: ({ has, operands }) => (has("f", "force") || operands.some(({ text }) => text?.startsWith("+")) ? "history" : undefined),
  commit: ({ args }) => (args.some(({ text }) => text !== undefined && /^--am/.test(text)) ? "history" : undefined),
  reset: ({ has, operands }) => {
    if (has("hard", "merge", "keep")) return "discard";
    return !has("p", "patch") && operands.some(isOther) ? "history" : undefined;
  },
  checkout: ({ has, operands }) => {
    if (has("B")) return "history";
    return has("f", "force") || operands.some(isWhole) ? "discard" : undefined;
  },
  switch: ({ has }) => {
    if (has("C", "force-create")) return "history";
    return has("f", "force", "discard-changes") ? "discard" : undefined;
  },
  restore: ({ has, operands }) => {
    const touchesFiles = !has("S", "staged") || has("W", "worktree");
    return touchesFiles && operands.some(isWhole) ? "discard" : undefined;
  },
  stash: (git) => (["drop", "clear"].includes(first(git) ?? "") ? "discard" : undefined),
  clean: ({ has }) => (has("f", "force") && !has("n", "dry-run") ? "deletion" : undefined),
  rm: ({ has }) => (has("r", "f", "force") && !has("cached", "n", "dry-run") ? "deletion" : undefined),
  branch: ({ has }) => (has("D", "M", "C", "f", "force") ? "history" : undefined),
  tag: ({ has }) => (has("d", "delete", "f", "force") ? "history" : undefined),
  "filter-branch": () => "history",
  "filter-repo": () => "history",
  replace: () => "history",
  "update-ref": () => "history",
  prune: () => "history",
  gc: ({ args }) => (args.some(({ text }) => text?.startsWith("--prune")) ? "history" : undefined),
  reflog: (git) => (["expire", "delete", "drop"].includes(first(git) ?? "") ? "history" : undefined),
  worktree: (git) => (first(git) === "remove" && git.has("f", "force") ? "deletion" : writeOperands(git, 1)),
  submodule: (git) => (first(git) === "deinit" && git.has("f", "force") ? "deletion" : undefined),
  clone: (git) => writeOperands(git, 1),
  init: (git) => writeOperands(git, 0),
};

/** Options with a value, by subcommand. */
const valued = new Map(
  Object.entries({
    push: "o push-option repo receive-pack",
    commit: "m message F file C reuse-message c author date t template fixup squash",
    checkout: "b conflict pathspec-from-file",
    switch: "c create conflict",
    restore: "s source",
    reset: "pathspec-from-file",
    tag: "m message F file u local-user",
    clone: "b branch depth o origin reference c config j jobs filter separate-git-dir template",
    init: "b initial-branch template separate-git-dir",
    worktree: "b B reason",
  }),
);

function writeOperands({ operands, reader, shell }: GitCall, skip: number): undefined {
  for (const operand of operands.slice(skip, skip + 1)) reader.writes(operand, shell);
}

/**
 * The rule for Git. Risks are to rewrite or drop commits, to overwrite data on a server, and to discard uncommitted work. Restoring a single
 * file to an older state counts as a normal write.
 */
export const git: Rule = (call) => {
  const { reader } = call;
  const global = readOptions(call.args, "C c git-dir work-tree namespace exec-path config-env", { untilOperand: true });
  const [verb, ...args] = global.operands;
  if (verb === undefined) return unknown;
  if (verb.text === undefined) {
    reader.risk("unknownCommand", describe(call));
    return unknown;
  }
  if (global.values("c").some(({ text }) => text?.startsWith("alias."))) reader.risk("unknownCommand", describe(call));
  const shell = enter(call.shell, global.values("C"));
  const options = readOptions(args, valued.get(verb.text));
  const isReader = readers.has(verb.text) || (args.length === 0 && ["branch", "tag", "remote", "stash"].includes(verb.text));
  if (!isReader && verb.text !== "config" && verb.text !== "clone" && verb.text !== "init") {
    for (const place of [plainArg("."), ...global.values("git-dir", "work-tree")]) reader.writes(place, shell);
  }
  if (verb.text === "config") writeConfig(call, options);
  const rule = Object.hasOwn(rules, verb.text) ? rules[verb.text] : undefined;
  const risk = rule?.({ ...options, call, shell, args, reader });
  if (risk) reader.risk(risk, describe(call));
  return output(verb.text, options);
};

function enter(shell: Shell, folders: readonly Arg[]): Shell {
  return folders.reduce<Shell>((at, { text }) => at.fork({ folder: text === undefined ? undefined : at.resolve(text) }), shell);
}

/** The user's own configuration is not in the working folder. */
function writeConfig({ reader, shell }: Call, { operands, has }: Options): void {
  if (!has("global", "system")) return;
  const writes = has("unset", "unset-all", "add", "replace-all", "e", "edit", "remove-section", "rename-section");
  const [verb] = operands;
  const isAsked = has("get", "get-all", "get-regexp", "l", "list") || verb?.text === "get" || verb?.text === "list";
  if (!isAsked && (writes || operands.length > 1))
    reader.writes(plainArg(has("system") ? "/etc/gitconfig" : `${shell.home}/.gitconfig`), shell);
}

function output(verb: string, { has }: Options): Input {
  if (verb === "ls-files" || (verb === "diff" && has("name-only")) || (verb === "grep" && has("l", "files-with-matches"))) {
    return { kind: "files", folders: ["."] };
  }
  return unknown;
}
