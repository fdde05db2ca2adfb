import { realpathSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { UserInterface } from "../user-interface.ts";
import { projectAgentsSkills } from "./agents-folders.ts";
import { readJsonFile } from "./json-file.ts";
import { projectFolder } from "./paths.ts";
import { updateJsonFile } from "./update-json-file.ts";

/** The parts of a project's `.pi` folder that change the behaviour of the agent. Skills in `.agents` come on top. */
const projectParts: readonly { name: string; one: string; many: string }[] = [
  { name: "settings.json", one: "settings", many: "settings" },
  { name: "extensions", one: "extension", many: "extensions" },
  { name: "rules", one: "rule", many: "rules" },
  { name: "prompts", one: "prompt template", many: "prompt templates" },
  { name: "skills", one: "skill", many: "skills" },
  { name: "themes", one: "theme", many: "themes" },
  { name: "SYSTEM.md", one: "system prompt", many: "system prompts" },
  { name: "APPEND_SYSTEM.md", one: "addition to the system prompt", many: "additions to the system prompt" },
];

export interface TrustQuestion {
  /** The working folder of the session. */
  cwd: string;
  agentDir: string;
  /** The decision for this run only; the user is then not asked, and nothing is stored. */
  decided?: boolean | undefined;
  /** `defaultProjectTrust` of the user's settings: the decision for folders without a stored one. Default: `ask`. */
  usual?: "ask" | "always" | "never" | undefined;
  /** Called for an unknown folder before the user is asked. Undefined: the user decides. */
  decide?: (() => Promise<{ trusted: boolean; remember: boolean } | undefined>) | undefined;
  /** Used to ask the user about an unknown folder. */
  user: UserInterface;
}

export interface TrustAnswer {
  trusted: boolean;
  /** A line of text that lists the parts that are not loaded; undefined if all are loaded. */
  notice?: string;
}

/**
 * Decides whether the parts of a project's `.pi` folder may be used: only if the user trusts this folder or one that contains it, by its real
 * path; the nearest stored decision counts. Without one, and without a user to ask, the answer is no. A yes is stored in `trust.json` of the
 * agent's folder, in the format of related programs.
 *
 * @throws {UsageError} When `trust.json` is malformed or cannot be written.
 */
export async function askForTrust({ cwd, agentDir, decided, decide, usual = "ask", user }: TrustQuestion): Promise<TrustAnswer> {
  if (decided === true) return { trusted: true };
  const parts = await listProjectParts(cwd);
  if (parts.length === 0) return { trusted: false };
  const what = parts.join(", ");
  const notice = `Not loaded from ${projectFolder(cwd)}, since this folder is not trusted: ${what}. Use --approve to load them for this run.`;
  if (decided === false) return { trusted: false, notice };
  const stored = storedDecision(readJsonFile(trustFile(agentDir)), realpathSync(cwd));
  if (stored !== undefined) return stored ? { trusted: true } : { trusted: false, notice };
  const decision = await decide?.();
  if (decision) {
    if (decision.trusted && decision.remember) await trustFolder(agentDir, cwd);
    return decision.trusted ? { trusted: true } : { trusted: false, notice };
  }
  if (usual === "always") return { trusted: true };
  if (usual === "never") return { trusted: false, notice };
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
  await updateJsonFile(trustFile(agentDir), (content) => ({ ...content, [path]: true }));
}

/** The decision for a folder, or for the nearest folder that contains it; undefined if there is none. */
function storedDecision(decisions: Record<string, unknown>, folder: string): boolean | undefined {
  const decision = Object.hasOwn(decisions, folder) ? decisions[folder] : undefined;
  if (typeof decision === "boolean") return decision;
  const parent = dirname(folder);
  return parent === folder ? undefined : storedDecision(decisions, parent);
}

function trustFile(agentDir: string): string {
  return join(agentDir, "trust.json");
}

/** Describes the parts in a project's `.pi` folder for the user: `settings`, `2 extensions` … */
async function listProjectParts(cwd: string): Promise<string[]> {
  const parts = await Promise.all(
    projectParts.map(async ({ name, one, many }) => {
      const path = join(projectFolder(cwd), name);
      const entries = await readdir(path).catch((error: NodeJS.ErrnoException) => (error.code === "ENOTDIR" ? [name] : []));
      const count = entries.filter((entry) => !entry.startsWith(".")).length;
      if (count === 0) return [];
      return [name.includes(".") ? one : `${count} ${count === 1 ? one : many}`];
    }),
  );
  const shared = await Promise.all(projectAgentsSkills(cwd).map((folder) => readdir(folder).catch(() => [])));
  const count = shared.flat().filter((entry) => !entry.startsWith(".")).length;
  return [...parts.flat(), ...(count === 0 ? [] : [`${count} ${count === 1 ? "skill" : "skills"} for all agents`])];
}
