import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";

/** The user's skills for all agents, whatever their make. */
export function userAgentsSkills(): string {
  return join(homedir(), ".agents", "skills");
}

/**
 * The existing folders `.agents/skills` of a working folder and its parents, the nearest first, up to the root of the repository; without one, up to
 * the root. That of the user is not among them.
 */
export function projectAgentsSkills(cwd: string): string[] {
  const found: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    const skills = join(folder, ".agents", "skills");
    if (skills !== userAgentsSkills() && existsSync(skills)) found.push(skills);
    if (existsSync(join(folder, ".git")) || dirname(folder) === folder) return found;
  }
}
