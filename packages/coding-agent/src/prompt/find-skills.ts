import { readdir, realpath, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { assertRegular, isMissing } from "@pikit/ai/files/sync";
import { reasonOf } from "./read-text.ts";
import type { ResourceSource } from "./resource-sources.ts";

const skillFileName = "SKILL.md";
/** Maximum depth of folders below a source. */
const maxDepth = 4;
/** Maximum number of folders per source, in case the source is a home folder. */
const maxFolders = 2000;

/** A file that describes a skill. */
export interface SkillFile extends ResourceSource {
  realPath: string;
  /** Whether the file may be something else than a skill: a Markdown file beside the folders of skills. */
  isLoose: boolean;
}

/**
 * Finds the skill files of a source, sorted by path: the file itself, the one in the folder, or those in the folders below it. A folder with a
 * `SKILL.md` is one skill; its subfolders are not searched. Of a source with `hasLooseFiles`, its own Markdown files count, too. Hidden folders and `node_modules` are skipped, links are followed. Never rejects.
 */
export async function findSkillFiles(source: ResourceSource, report: (problem: string) => void): Promise<SkillFile[]> {
  const search = new SkillSearch(source, report);
  await search.visit(source.path, 0);
  return search.files;
}

class SkillSearch {
  readonly files: SkillFile[] = [];
  readonly #source: ResourceSource;
  readonly #report: (problem: string) => void;
  readonly #visited = new Set<string>();

  constructor(source: ResourceSource, report: (problem: string) => void) {
    this.#source = source;
    this.#report = report;
  }

  async visit(path: string, depth: number, isLoose = false): Promise<void> {
    try {
      const realPath = await realpath(path);
      if (this.#visited.has(realPath)) return;
      this.#visited.add(realPath);
      const stats = await stat(realPath);
      if (stats.isFile()) {
        const isSkill = depth === 0 || basename(path) === skillFileName;
        if (isSkill || isLoose) this.files.push({ ...this.#source, path, realPath, isLoose: !isSkill });
      } else if (stats.isDirectory()) await this.#visitFolder(path, depth);
      else if (depth === 0 || basename(path) === skillFileName) assertRegular(stats, path);
    } catch (error) {
      if (depth > 0 && isMissing(error)) return; // a broken link, or removed meanwhile
      if (isMissing(error) && !this.#source.isNamed) return;
      this.#report(`Skills in ${path} cannot be read: ${isMissing(error) ? "there is no such file or folder" : reasonOf(error)}.`);
    }
  }

  async #visitFolder(path: string, depth: number): Promise<void> {
    const entries = await readdir(path, { withFileTypes: true });
    if (entries.some(({ name }) => name === skillFileName)) return this.visit(join(path, skillFileName), depth + 1);
    if (depth === 0 && this.#source.hasLooseFiles) {
      for (const { name } of entries) if (/^[^.].*\.md$/i.test(name)) await this.visit(join(path, name), 1, true);
    }
    if (depth === maxDepth) return;
    const folders = entries.filter((entry) => entry.isDirectory() || entry.isSymbolicLink()).map(({ name }) => name);
    for (const name of folders.toSorted()) {
      if (name.startsWith(".") || name === "node_modules") continue;
      if (this.#visited.size >= maxFolders) {
        this.#report(`${this.#source.path} has too many folders to look for skills in all of them. Name a smaller one.`);
        return;
      }
      await this.visit(join(path, name), depth + 1);
    }
  }
}
