import type { Call, Rule } from "../shell/call.ts";
import { type Options, readOptions } from "../shell/options.ts";
import { type Input, type Shell, unknown } from "../shell/shell.ts";
import { type Arg, plainArg } from "../shell/words.ts";
import { family, type Verbs } from "./family.ts";

const verbs: Verbs = {
  read:
    "status, log, diff, show, rev-parse, rev-list, ls-files, ls-tree, describe, blame, annotate, grep, cat-file, shortlog, whatchanged, " +
    "show-ref, for-each-ref, merge-base, name-rev, count-objects, fsck, help, version, var, check-ignore, check-attr, diff-tree, diff-index, " +
    "diff-files, range-diff, cherry, show-branch, reflog, reflog show|exists, verify-commit, verify-tag, stash list|show, remote get-url, " +
    "remote -v|--verbose, worktree list, submodule status|summary, bundle verify|list-heads, bisect log|view, notes list|show, " +
    "rebase --show-current-patch, apply --stat|--check, symbolic-ref, hash-object, patch-id, stripspace, column, interpret-trailers, init, config",
  write:
    "add, stage, mv, rm, apply, stash, stash push|save|pop|apply|create|store|branch, notes, branch, tag, remote, " +
    "restore, reset, sparse-checkout, bisect start|good|bad|skip|reset, pack-refs, repack, gc, commit-graph, maintenance, " +
    "update-index, write-tree, read-tree, format-patch, archive, bundle create, worktree add|remove|prune|move|lock|unlock, submodule, " +
    "submodule init|sync|deinit|absorbgitdirs, rebase --abort|--quit, merge --abort|--quit, cherry-pick --abort|--quit, am --abort, " +
    "revert --abort, lfs track|untrack, update-server-info, rerere, checkout-index, multi-pack-index, fast-export",
  network: "fetch, ls-remote, remote show|update, clone, push, lfs fetch, request-pull",
  hooks:
    "commit, merge, checkout, switch, pull, cherry-pick, revert, am, rebase --continue|--skip|--edit-todo, submodule update|add, bisect run, " +
    "difftool, mergetool, submodule foreach, lfs, log|show|diff --ext-diff, grep -O|--open-files-in-pager",
  history:
    "rebase, pull -r|-f|--force|--rebase|--rebase=i*|--rebase=m*|--rebase=t*, fetch -f|--force, commit --amend, checkout -B, " +
    "switch -C|--force-create, branch -D|-M|-C|-f|--force, tag -d|-f|--delete|--force, filter-branch, filter-repo, replace, " +
    "update-ref, prune, gc --prune|--prune=*, reflog expire|delete|drop, rebase -x|--exec, symbolic-ref -d|--delete, notes remove|prune",
  discard:
    "reset --hard|--merge|--keep, checkout -f|--force, switch -f|--force|--discard-changes, stash drop|clear, checkout-index -f|--force, " +
    "read-tree --reset|-u, restore --worktree .",
  forcePush: "push -f|--force|--force-with-lease|--force-if-includes|--mirror|--prune|-d|--delete",
  wide: "clean -f|--force, rm -r|-f|--force, worktree remove -f|--force, submodule deinit -f|--force",
};

/** With these options, the entries above do not count. */
const instead: Verbs = {
  read: "clean -n|--dry-run, rm -n|--dry-run, add -n|--dry-run, branch|tag -l|--list",
  network: "push -n|--dry-run",
  write: "rm --cached, rebase --abort|--quit",
  hooks: "rebase --continue|--skip|--edit-todo",
};

const valuedOf = {
  push: "o push-option repo receive-pack",
  commit: "m message F file C reuse-message c author date t template fixup squash",
  checkout: "b conflict pathspec-from-file",
  switch: "c create conflict",
  restore: "s source",
  tag: "m message F file u local-user",
  clone: "b branch depth o origin reference c config j jobs filter separate-git-dir template",
  init: "b initial-branch template separate-git-dir",
  worktree: "b B reason",
  log: "n L G S author grep since until format output",
  diff: "G S output",
  show: "format output",
  archive: "o output format prefix remote",
  "format-patch": "o output-directory",
  rebase: "x exec onto",
  merge: "m s X F",
  stash: "m message",
  clean: "e exclude",
  grep: "e f m A B C max-depth",
};

/** A name that is a single file: it has an ending, or is one of the usual names without one. */
const fileName = /(^|\/)(\.?[\w@+-][\w@+.-]*\.[A-Za-z]\w{0,9}|Makefile|Dockerfile|LICENSE|README|Gemfile|Rakefile|\.\w+)$/;
const maxNamed = 5;

/** Whether the arguments are a few single files: to restore them is an ordinary change. */
function areFewFiles(args: readonly Arg[], { isRepeated }: Call): boolean {
  const areFiles = args.every(({ text }) => text !== undefined && fileName.test(text) && !/[*?[]/.test(text));
  return areFiles && !isRepeated && args.length <= maxNamed;
}

/** `checkout` of paths: all after `--`, all after a commit, or a first operand that is a path. */
function restorePaths(call: Call, { operands }: Options): void {
  const [first, ...rest] = operands;
  const dashes = call.args.findIndex(({ text }) => text === "--");
  const after = dashes === -1 ? undefined : call.args.slice(dashes + 1);
  const isPath = first?.text !== undefined && /^[.:]\/?$|\/$|[*?[]|^\.\.?\//.test(first.text);
  const creates = call.args.some(({ text }) => text !== undefined && /^(-b|--orphan|-t|--track|-p|--patch|-B)$/.test(text));
  const paths = after ?? (isPath ? operands : creates ? [] : rest);
  if (paths.length > 0 && !areFewFiles(paths, call)) call.does("discard");
}

const more: Record<string, (call: Call, options: Options) => void> = {
  push(call, { operands }) {
    if (operands.some(({ text, source }) => /^[+:]/.test(text ?? source))) call.does("forcePush");
  },
  fetch(call, { operands }) {
    if (operands.some(({ text }) => text?.startsWith("+"))) call.does("history");
  },
  reset(call, { operands, has }) {
    if (has("hard", "merge", "keep", "p", "patch")) return;
    // Everything but the current commit and files moves the branch.
    const [first] = operands;
    const isPaths = call.args.some(({ text }) => text === "--");
    if (first && !isPaths && first.text !== "HEAD" && !areFewFiles(operands, call) && first.text !== ".") call.does("history");
  },
  checkout: restorePaths,
  restore(call, { operands, has }) {
    if (has("S", "staged") && !has("W", "worktree")) return;
    if (!areFewFiles(operands, call)) call.does("discard");
  },
  clone(call, { operands: [source, folder] }) {
    const name = /([^/:]+?)(?:\.git)?\/*$/.exec(source?.text ?? "")?.[1];
    const target = folder ?? (name === undefined ? undefined : plainArg(name));
    call.writes(target ? [target] : []);
    call.shell.remember(target?.text, { kind: "download" });
  },
  init: (call, { operands }) => call.writes([operands[0] ?? plainArg(".")]),
  worktree: (call, { operands: [verb, folder] }) => call.writes(verb?.text === "add" && folder ? [folder] : []),
  config: writeConfig,
  archive: (call, { values }) => call.writes(values("o", "output")),
  bundle: (call, { operands }) => call.writes(operands.slice(1, 2)),
  "format-patch": (call, { values }) => call.writes(values("o", "output-directory")),
  log: (call, { values }) => call.writes(values("output")),
  show: (call, { values }) => call.writes(values("output")),
  diff: (call, { values }) => call.writes(values("output")),
  submodule(call, { operands: [verb, ...words] }) {
    if (verb?.text === "foreach" && words[0]) runWords(call, words);
  },
  bisect(call, { operands: [verb] }) {
    if (verb?.text === "run") call.run(call.args.slice(2));
  },
  rebase(call, { values }) {
    for (const text of values("x", "exec")) call.runArg(text);
  },
};

function runWords(call: Call, words: readonly Arg[]): void {
  const text = words.map((word) => word.text ?? word.source).join(" ");
  call.runArg({ ...(words[0] as Arg), text });
}

/** The user's own configuration is not in the working folder. Some settings are commands. */
function writeConfig(call: Call, { operands, has }: Options): void {
  const [verb] = operands;
  if (has("get", "get-all", "get-regexp", "l", "list") || verb?.text === "get" || verb?.text === "list") return;
  const writes = has("unset", "unset-all", "add", "replace-all", "e", "edit", "remove-section", "rename-section");
  if (!writes && operands.length < 2) return;
  const file = has("system") ? "/etc/gitconfig" : has("global") ? `${call.shell.home}/.gitconfig` : ".";
  call.writes([plainArg(file)]);
  if (isCommandSetting(verb?.text ?? "")) call.does("unknown");
}

function isCommandSetting(text: string): boolean {
  return !/^(user|color|init|advice|push|pull|branch|remote\.\w+\.fetch|core\.(autocrlf|quotepath|ignorecase|filemode|longpaths))\b/i.test(
    text,
  );
}

const subcommands = family({ verbs, instead, valuedOf, more });

/** Git: risky is what rewrites or drops commits, overwrites data on a server, or discards uncommitted work. */
export const git: Rule = (call) => {
  const global = call.options("C c git-dir work-tree namespace exec-path config-env", true);
  const [verb, ...args] = global.operands;
  if (verb === undefined) return unknown;
  for (const { text } of global.values("c", "config-env", "exec-path")) {
    if (text === undefined || text.startsWith("alias.")) call.does("unknownCommand");
    else if (isCommandSetting(text)) call.does("unknown");
  }
  const inside = call.with({ shell: enter(call.shell, global.values("C")), args: [verb, ...args] });
  inside.writes(global.values("git-dir", "work-tree"));
  subcommands(inside);
  return output(verb.text, readOptions(args, "e f m"));
};

function enter(shell: Shell, folders: readonly Arg[]): Shell {
  return folders.reduce<Shell>((at, { text }) => at.fork({ folder: text === undefined ? undefined : at.enter(text) }), shell);
}

/** The names of files that a subcommand prints. */
function output(verb: string | undefined, { has, operands }: Options): Input {
  const listsNames =
    verb === "ls-files" ||
    (["diff", "show", "log", "diff-tree", "diff-index"].includes(verb ?? "") && has("name-only")) ||
    (verb === "grep" && has("l", "files-with-matches"));
  if (!listsNames) return unknown;
  // The names of `ls-files '*.orig'` have that ending.
  const pattern = verb === "ls-files" ? operands[0]?.text : undefined;
  return { kind: "files", paths: [pattern?.includes("*") ? pattern : "./*"] };
}
