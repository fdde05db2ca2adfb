import { homedir } from "node:os";
import { join } from "node:path";
import { kindOf } from "./look.ts";

/** Settings of pi, of other agents and of editors, which run programs when a folder is opened. They must not appear, either. */
const settings = [".pi", ".vscode", ".idea", ".zed", ".cursor", ".claude", ".mcp.json", ".envrc"];
/** Start files of shells and programs, and hooks of projects. Where they are missing, programs use them only in a home folder. */
const startFiles = [
  ...[".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile", ".zshrc", ".zshenv", ".zprofile"],
  ...[
    ".zlogin",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".inputrc",
    ".gitconfig",
    ".tmux.conf",
    ".gdbinit",
    ".lldbinit",
    ".screenrc",
  ],
  ...[
    ".vimrc",
    ".exrc",
    ".nvimrc",
    ".nvim.lua",
    ".vim",
    ".emacs",
    ".emacs.d",
    ".xprofile",
    ".xsessionrc",
    ".xinitrc",
    ".pam_environment",
  ],
];
/** Only where they exist. */
const hooks = [".husky", ".devcontainer", ".fleet", ".nova", ".helix", ".pre-commit-config.yaml", "lefthook.yml", ".lefthook.yml"];
/** Only in a home folder. */
const homeFolders = [
  ...[".config/fish", ".config/autostart", ".config/systemd", ".config/environment.d", ".config/git", ".config/nvim"],
  ...[".local/bin", ".local/share/applications", "Library/LaunchAgents"],
];

/**
 * Finds the files in a folder with which programs run later.
 *
 * @param folder - With links resolved.
 * @returns `fixed` exist and must not change; `missing` must not appear.
 */
export function findStartFiles(folder: string, home: string = homedir()): { fixed: string[]; missing: string[] } {
  const fixed: string[] = [];
  const missing: string[] = [];
  const isHome = folder === home;
  const guarded = isHome ? [...settings, ...startFiles] : settings;
  for (const name of [...settings, ...startFiles, ...hooks, ...(isHome ? homeFolders : [])]) {
    const path = join(folder, name);
    const kind = kindOf(path);
    if (kind === "file" || kind === "folder") fixed.push(path);
    else if (kind === undefined && guarded.includes(name)) missing.push(path);
  }
  return { fixed, missing };
}
