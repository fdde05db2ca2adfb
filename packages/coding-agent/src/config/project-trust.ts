import { realpathSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { UserInterface } from "../user-interface.ts";
import { readJsonFile } from "./json-file.ts";
import { projectFolder } from "./paths.ts";
import { updateJsonFile } from "./update-json-file.ts";

/** The parts of a project's `.pi` folder that change the behaviour of the agent. */
const projectParts: readonly { name: string; one: string; many: string }[] = [
  { name: "settings.json", one: "settings", many: "settings" },
  { name: "extensions", one: "extension", many: "extensions" },
  { name: "rules", one: "rule", many: "rules" },
  { name: "prompts", one: "prompt template", many: "prompt templates" },
  { name: "skills", one: "skill", many: "skills" },
];

export interface TrustQuestion {
  /** The working folder of the session. */
  cwd: string;
  agentDir: string;
  /** The decision for this run only; the user is then not asked, and nothing is stored. */
  decided?: boolean | undefined;
  /** Used to ask the user about an unknown folder. */
  user: UserInterface;
}

export interface TrustAnswer {
  trusted: boolean;
  /** A line of text that lists the parts that are not loaded; undefined if all are loaded. */
  notice?: string;
}

/**
 * Decides whether the parts of a project's `.pi` folder may be used: only if the user trusts exactly this folder, by its real path. Without a
 * user to ask, the answer is no. A yes is stored in `trust.json` of the agent's folder.
 *
 * @throws {UsageError} When `trust.json` is malformed or cannot be written.
 */
export async function askForTrust({ cwd, agentDir, decided, user }: TrustQuestion): Promise<TrustAnswer> {
  if (decided === true) return { trusted: true };
  const parts = await listProjectParts(cwd);
  if (parts.length === 0) return { trusted: false };
  const what = parts.join(", ");
  const notice = `Not loaded from ${projectFolder(cwd)}, since this folder is not trusted: ${what}. Use --approve to load them for this run.`;
  if (decided === false) return { trusted: false, notice };
  const file = trustFile(agentDir);
  if (isTrusted(file, cwd)) return { trusted: true };
  const isAccepted = await user.confirm({
    title: "Trust this folder?",
    message: `${realpathSync(cwd)} brings its own ${what}. They can run programs as you. Load them, now and in future?`,
  });
  if (!isAccepted) return { trusted: false, notice };
  await trustFolder(agentDir, cwd);
  return { trusted: true };
}

/**
 * Stores that the user trusts a folder.
 *
 * @internal Exported for its tests.
 */
export async function trustFolder(agentDir: string, folder: string): Promise<void> {
  const path = realpathSync(folder);
  await updateJsonFile(trustFile(agentDir), (content) => ({ ...content, folders: { ...foldersIn(content), [path]: true } }));
}

function isTrusted(file: string, folder: string): boolean {
  const folders = foldersIn(readJsonFile(file));
  const path = realpathSync(folder);
  return Object.hasOwn(folders, path) && folders[path] === true;
}

function trustFile(agentDir: string): string {
  return join(agentDir, "trust.json");
}

function foldersIn({ folders }: Record<string, unknown>): Record<string, unknown> {
  return typeof folders === "object" && folders !== null && !Array.isArray(folders) ? (folders as Record<string, unknown>) : {};
}

/** Describes the parts in a project's `.pi` folder for the user: `settings`, `2 extensions` … */
async function listProjectParts(cwd: string): Promise<string[]> {
  const parts = await Promise.all(
    projectParts.map(async ({ name, one, many }) => {
      const path = join(projectFolder(cwd), name);
      const entries = await readdir(path).catch((error: NodeJS.ErrnoException) => (error.code === "ENOTDIR" ? [name] : []));
      const count = entries.filter((entry) => !entry.startsWith(".")).length;
      if (count === 0) return [];
      return [name === "settings.json" ? one : `${count} ${count === 1 ? one : many}`];
    }),
  );
  return parts.flat();
}
