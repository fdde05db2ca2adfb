import { readdir, realpath, stat } from "node:fs/promises";
import { basename, extname, join } from "node:path";
import { fileLimits, isMissing } from "@pikit/ai/files/sync";
import { SessionError } from "../errors.ts";
import type { SlashCommand } from "../protocol/data.ts";
import { type PackageOrigin, toSourceInfo } from "../source-info.ts";
import { type FrontMatterFile, parseFrontMatter, textField } from "./front-matter.ts";
import { readText, reasonOf } from "./read-text.ts";
import type { ResourceSource } from "./resource-sources.ts";
import { fillTemplate } from "./template-arguments.ts";

const maxFileBytes = fileLimits.promptTemplate;
/** Maximum characters of a description that is taken from the template's first line. */
const maxDescriptionLength = 80;

/** Maximum depth of subfolders that are searched, and their number in one folder. */
const maxDepth = 3;
const maxFolders = 100;

/** A prompt in a file, which the user calls by its name. */
export interface PromptTemplate {
  /** The file's name without `.md`. */
  name: string;
  description: string;
  path: string;
  location: NonNullable<SlashCommand["location"]>;
  /** The package that brings it; undefined without one. */
  package?: PackageOrigin | undefined;
}

/**
 * Loads the templates of the sources: a file, or the `.md` files of a folder. Of several templates with the same name, the first counts. The
 * others, and unreadable files, are reported. Never rejects.
 */
export async function loadTemplates(
  sources: readonly ResourceSource[],
  report: (problem: string) => void,
): Promise<PromptTemplate[]> {
  const templates = new Map<string, PromptTemplate>();
  const seen = new Set<string>();
  for (const source of sources) {
    for (const path of await findFiles(source, report)) {
      if (source.isUsed?.(path) === false) continue;
      const template = await loadTemplate(path, source, seen, report);
      const other = template && templates.get(template.name);
      if (other) report(`The prompt template ${path} is left out: ${other.path} has the same name.`);
      else if (template) templates.set(template.name, template);
    }
  }
  return [...templates.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function findFiles({ path, isNamed }: ResourceSource, report: (problem: string) => void): Promise<string[]> {
  try {
    if (!(await stat(path)).isDirectory()) return [path];
    // A folder that the user has named is searched with its subfolders.
    return await listMarkdown(path, isNamed ? maxDepth : 0);
  } catch (error) {
    if (isNamed || !isMissing(error)) {
      const reason = isMissing(error) ? "there is no such file or folder" : reasonOf(error);
      report(`Prompt templates in ${path} cannot be read: ${reason}.`);
    }
    return [];
  }
}

async function listMarkdown(folder: string, depth: number): Promise<string[]> {
  const entries = (await readdir(folder, { withFileTypes: true })).filter(({ name }) => !name.startsWith("."));
  const names = entries.filter((entry) => entry.name.endsWith(".md") && !entry.isDirectory()).map(({ name }) => name);
  const folders = entries.filter((entry) => depth > 0 && entry.isDirectory() && entry.name !== "node_modules").slice(0, maxFolders);
  const below: string[] = [];
  for (const { name } of folders) below.push(...(await listMarkdown(join(folder, name), depth - 1)));
  return [...names.toSorted().map((name) => join(folder, name)), ...below.toSorted()];
}

async function loadTemplate(
  path: string,
  { location, package: origin }: ResourceSource,
  seen: Set<string>,
  report: (problem: string) => void,
): Promise<PromptTemplate | undefined> {
  try {
    const realPath = await realpath(path);
    if (seen.has(realPath)) return undefined;
    seen.add(realPath);
    const name = basename(path, extname(path));
    if (/\s/.test(name)) throw new Error("its name has a blank, so that nobody can call it");
    const file = await readTemplate(path);
    return { name, description: describe(file), path, location, package: origin };
  } catch (error) {
    report(`The prompt template ${path} cannot be used: ${reasonOf(error)}.`);
    return undefined;
  }
}

async function readTemplate(path: string): Promise<FrontMatterFile> {
  const { text, isCut } = await readText(path, maxFileBytes);
  if (isCut) throw new Error(`it has more than ${maxFileBytes / 1024} KB`);
  const file = await parseFrontMatter(text);
  if (file.body.trim() === "") throw new Error("there is no text in it");
  return file;
}

function describe(file: FrontMatterFile): string {
  const description = textField(file, "description");
  if (description !== undefined) return description;
  const firstLine = file.body.trim().split("\n", 1)[0]?.trim() ?? "";
  return firstLine.length > maxDescriptionLength ? `${firstLine.slice(0, maxDescriptionLength).trimEnd()}…` : firstLine;
}

/**
 * The message for `/name arguments`, from the current content of the file.
 *
 * @throws {SessionError} `invalid_input` when the file can no longer be read.
 */
export async function invokeTemplate({ path }: PromptTemplate, args: string): Promise<string> {
  try {
    const { body } = await readTemplate(path);
    return fillTemplate(body.trim(), args);
  } catch (error) {
    throw new SessionError("invalid_input", `The prompt template ${path} cannot be used: ${reasonOf(error)}.`, { cause: error });
  }
}

/** A template as an item of `get_commands`. */
export function templateCommand(template: PromptTemplate): SlashCommand {
  const { name, description, path, location } = template;
  return {
    name,
    description,
    source: "prompt",
    location,
    path,
    ...(template.package ? { sourceInfo: toSourceInfo(template) } : {}),
  };
}
