import { basename, dirname } from "node:path";
import { lastNameGlob } from "../search/glob.ts";
import { comparePaths } from "../search/name-order.ts";
import { isInRepository } from "../search/repositories.ts";
import { walkTree } from "../search/walk.ts";
import type { GrepRequest } from "./grep-request.ts";
import { unlessHeldUp } from "./held-up.ts";
import { type FoundMatches, MatchCollector, mergeMatches, toFoundLine } from "./matches.ts";
import { maxLineLength } from "./parameters.ts";
import { explainRefusal } from "./pattern-errors.ts";
import { RipgrepRefusal, runRipgrep } from "./ripgrep-process.ts";

/** The same whatever the user's configuration, the environment and the platform. */
const fixedArgs = [
  "--no-config",
  "--null",
  "--line-number",
  "--with-filename",
  "--no-heading",
  "--no-context-separator",
  "--no-ignore-messages",
  "--color=never",
  "--path-separator=/",
  "--sort=path",
  // Files that shrink while they are mapped kill the process.
  "--no-mmap",
  "--crlf",
  // In bytes, so never fewer characters than are shown.
  `--max-columns=${8 * maxLineLength}`,
  "--max-columns-preview",
  "--hidden",
  // Only .gitignore files count.
  "--no-ignore-dot",
  "--no-ignore-exclude",
  "--no-ignore-global",
  "--glob=!.git",
];

/**
 * Searches with ripgrep.
 *
 * @param program - Its absolute path.
 * @throws {RipgrepUnavailable} Also where it would never end. {ToolError} `invalid_pattern` or `search_failed`, and the abort's reason.
 */
export function searchWithRipgrep(program: string, request: GrepRequest): Promise<FoundMatches> {
  return unlessHeldUp(request, (signal) => searchRoot(program, { ...request, signal }));
}

async function searchRoot(program: string, request: GrepRequest): Promise<FoundMatches> {
  const { files, root } = request;
  if (root.type === "file") {
    const cwd = dirname(root.realPath);
    return search(program, request, { cwd, paths: [`./${basename(root.realPath)}`], toPath: () => "" });
  }
  if (await isInRepository(files, root.realPath)) return search(program, request, {});
  return searchOutsideRepositories(program, request);
}

/**
 * Outside of repositories ripgrep either disregards .gitignore files or, told not to, no longer stops their rules at the root of a
 * repository below. So repositories below are searched by themselves. Whether there are any is found out while the search is running
 * that is right when there are none.
 */
async function searchOutsideRepositories(program: string, request: GrepRequest): Promise<FoundMatches> {
  const anywhere = ["--no-require-git"];
  const guess = new AbortController();
  const scan = new AbortController();
  let reached: string | undefined;
  const guessing = search(program, { ...request, signal: AbortSignal.any([request.signal, guess.signal]) }, { args: anywhere });
  const scanning = findRepositories({ ...request, signal: AbortSignal.any([request.signal, scan.signal]) }, () => reached);
  const guessed = guessing.then(
    (found) => {
      // What comes after the last match that is shown cannot matter.
      if (found.truncatedBy !== null) reached = found.files.at(-1)?.path;
      return found;
    },
    (error: unknown) => {
      scan.abort(error);
      throw error;
    },
  );
  const found = scanning.then((repositories) => {
    if (repositories.length > 0) guess.abort();
    return repositories;
  });
  const [matches, repositories] = await Promise.allSettled([guessed, found]);
  if (repositories.status === "rejected") throw repositories.reason;
  if (repositories.value.length === 0) {
    if (matches.status === "rejected") throw matches.reason;
    return matches.value;
  }
  const excluded = repositories.value.map((path) => `--glob=!/${path.replace(/[\\*?[\]{}]/g, "\\$&")}`);
  const parts = [
    search(program, request, { args: [...anywhere, ...excluded] }),
    search(program, request, { paths: repositories.value.map((path) => `./${path}`) }),
  ];
  return mergeMatches(await Promise.all(parts), request);
}

/** The repositories in a tree, but not those inside others; relative paths in order. */
async function findRepositories({ files, root, signal }: GrepRequest, reached: () => string | undefined): Promise<string[]> {
  const found: string[] = [];
  const enter = (path: string, { isRepository }: { isRepository: boolean }) => {
    if (isRepository) found.push(path);
    return !isRepository;
  };
  const accept = ({ type }: { type: string }) => type === "directory";
  for await (const { path } of walkTree({ files, root: root.realPath, signal, accept, enter })) {
    const end = reached();
    if (end !== undefined && comparePaths(path, end) > 0) break;
  }
  return found;
}

interface Scope {
  args?: readonly string[];
  /** Default: the root. */
  cwd?: string;
  /** Relative to `cwd`. */
  paths?: readonly string[];
  /** From a path that ripgrep prints to one that is relative to the root. */
  toPath?(printed: string): string;
}

async function search(program: string, request: GrepRequest, scope: Scope): Promise<FoundMatches> {
  const { root, pattern, isLiteral, ignoreCase, context, glob, signal } = request;
  const { args = [], cwd = root.realPath, paths = ["./"], toPath = (printed) => printed.replace(/^\.\//, "") } = scope;
  const collector = new MatchCollector(request);
  const onlyNames = glob && lastNameGlob(glob.text);
  try {
    const unreadable = await runRipgrep({
      program,
      args: [
        ...fixedArgs,
        ...args,
        // A type is looked at after the ignore rules; a glob would readmit what they exclude.
        ...(onlyNames === undefined ? [] : [`--type-add=wanted:${onlyNames}`, "--type=wanted"]),
        `--context=${context}`,
        ...(isLiteral ? ["--fixed-strings"] : []),
        ...(ignoreCase ? ["--ignore-case"] : ["--case-sensitive"]),
        `--regexp=${pattern}`,
        "--",
        ...paths,
      ],
      cwd,
      signal,
      onLine(printed, number, text, isMatch) {
        const path = toPath(printed);
        return (glob && !glob.accepts(path)) || collector.add(path, toFoundLine(number, text, isMatch));
      },
      onBinary: (printed) => collector.drop(toPath(printed)),
    });
    return collector.end(unreadable);
  } catch (error) {
    throw error instanceof RipgrepRefusal ? explainRefusal(pattern, error.message) : error;
  }
}
