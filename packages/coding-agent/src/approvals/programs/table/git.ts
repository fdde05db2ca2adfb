/** Git: risky is what rewrites or drops commits, overwrites data on a server, or discards uncommitted work. */
export const git = `
git (C c git-dir work-tree namespace exec-path config-env) + inside -C, setsFor -c|--config-env|--exec-path, writes
    --git-dir|--work-tree
  (push o push-option repo receive-pack exec)
  (commit m message F file C reuse-message c author date t template fixup squash)
  (checkout b conflict pathspec-from-file)
  (switch c create conflict)
  (restore s source)
  (tag m message F file u local-user)
  (clone b branch depth o origin reference c config j jobs filter separate-git-dir template u upload-pack)
  (fetch|pull|ls-remote upload-pack)
  (init b initial-branch template separate-git-dir)
  (worktree b B reason)
  (log n L G S author grep since until format output)
  (diff G S output)
  (show format output)
  (archive o output format prefix remote exec)
  (format-patch o output-directory)
  (rebase x exec onto)
  (merge m s X F)
  (stash m message)
  (clean e exclude)
  (grep e f m A B C max-depth O open-files-in-pager)
  (difftool x extcmd t tool)
  (config f file)
  read: status, log, diff, show, rev-parse, rev-list, ls-tree, describe, blame, annotate, cat-file, shortlog, whatchanged, show-ref,
    for-each-ref, merge-base, name-rev, count-objects, fsck, help, version, var, check-ignore, check-attr, diff-files, range-diff,
    cherry,
    show-branch, reflog, reflog show|exists, verify-commit, verify-tag, stash list|show, remote get-url, remote -v|--verbose,
    worktree list,
    submodule status|summary, bundle verify|list-heads, bisect log|view, notes list|show, rebase --show-current-patch, grep,
    apply --stat|--check, symbolic-ref, hash-object, patch-id, stripspace, column, interpret-trailers, init
  writes .: add, stage, mv, rm, apply, stash, stash push|save|pop|apply|create|store|branch, notes, branch, tag, remote,
    sparse-checkout,
    bisect start|good|bad|skip|reset, pack-refs, repack, gc, commit-graph, maintenance, update-index, write-tree, read-tree,
    archive,
    format-patch, worktree remove|prune|move|lock|unlock, submodule, submodule init|sync|deinit|absorbgitdirs,
    merge --abort|--quit, cherry-pick --abort|--quit, am --abort, revert --abort, lfs track|untrack, update-server-info, rerere,
    checkout-index, multi-pack-index, fast-export
  writes -o|--output|--output-directory: format-patch -o|--output-directory, archive -o|--output, diff|log|show --output
  writes 1: worktree add, bundle create
  names 1: ls-files
  names .: diff|show|log|diff-tree|diff-index --name-only, grep -l|--files-with-matches
  network: ls-remote, remote show|update, lfs fetch, request-pull
  network, clones: clone
  network, pushes: push
  network, fetches: fetch
  scripts --upload-pack|-u|--receive-pack|--exec, network: clone|fetch|pull|ls-remote|push|archive
    --upload-pack|-u|--receive-pack|--exec
  writes ., unknown: commit, merge, switch, pull, cherry-pick, revert, am, submodule update|add, difftool, mergetool, lfs,
    log|show|diff --ext-diff
  scripts -x|--extcmd|-O|--open-files-in-pager, unknown: difftool -x|--extcmd, grep -O|--open-files-in-pager
  writes ., unknown, restores: checkout
  writes ., restoresFiles: restore
  writes ., resets: reset
  configures: config
  writes ., unknown, joins: submodule foreach
  writes ., unknown, runs: bisect run
  history: rebase, pull -r|-f|--force|--rebase|--rebase=i*|--rebase=m*|--rebase=t*, fetch -f|--force, commit --amend, checkout -B,
    switch -C|--force-create, branch -D|-M|-C|-f|--force, tag -d|-f|--delete|--force, filter-branch, filter-repo, replace,
    update-ref, prune, gc --prune|--prune=*, reflog expire|delete|drop, symbolic-ref -d|--delete, notes remove|prune
  history, scripts -x|--exec: rebase -x|--exec
  discard: reset --hard|--merge|--keep, checkout -f|--force, switch -f|--force|--discard-changes, stash drop|clear,
    checkout-index -f|--force, read-tree --reset|-u, restore --worktree .
  forcePush: push -f|--force|--force-with-lease|--force-if-includes|--mirror|--prune|-d|--delete
  destroys .: clean -f|--force, rm -r|-f|--force, worktree remove -f|--force, submodule deinit -f|--force
  only read: clean -n|--dry-run, rm -n|--dry-run, add -n|--dry-run, branch|tag -l|--list
  only network: push -n|--dry-run
  only writes .: rm --cached, rebase --abort|--quit
  only writes ., unknown: rebase --continue|--skip|--edit-todo
`;
