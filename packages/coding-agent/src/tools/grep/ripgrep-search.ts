import { basename, dirname } from "node:path";
import { lastNameGlob } from "../search/glob.ts";
import { comparePaths } from "../search/name-order.ts";
import { isInRepository } from "../search/repositories.ts";
import { walkTree } from "../search/walk.ts";
import type { GrepRequest } from "./grep-request.ts";
import { guardAgainstHang } from "./hang-guard.ts";
import { type FoundMatches, MatchCollector, mergeMatches, toFoundLine } from "./matches.ts";
import { maxLineLength } from "./parameters.ts";
import { explainRefusal } from "./pattern-errors.ts";
import { RipgrepRefusal, runRipgrep } from "./ripgrep-process.ts";

/** Arguments that make the results independent of the user's configuration, the environment and the platform. */
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
  // With memory maps, a file that shrinks kills the process.
  "--no-mmap",
  "--crlf",
  // In bytes; this is enough for all characters that are shown.
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
 * @param program - The absolute path of ripgrep.
 * @throws {RipgrepUnavailable} Also if the search would hang. {ToolError} `invalid_pattern` or `search_failed`. The reason of the abort signal.
 */
export function searchWithRipgrep(program: string, request: GrepRequest): Promise<FoundMatches> {
  return guardAgainstHang(request, (signal) => searchRoot(program, { ...request, signal }));
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
 * Searches a folder outside of repositories. There ripgrep ignores .gitignore files; with `--no-require-git` it uses them, but their rules then
 * also apply inside nested repositories. So nested repositories are searched separately. A first search assumes that there are none, while a
 * scan looks for them.
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
      // Repositories after the last shown match do not matter.
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

/** Finds the repositories in a tree, but not those nested in others. Returns relative paths in order. */
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
  /** Converts a path from ripgrep to one relative to the root. */
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
        // A type is applied after the ignore rules; a glob would include ignored files again.
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
