import type { AgentToolResult } from "@pikit/agent";
import type { FileAccess, FileToolCall, FileToolOptions } from "../files/file-access.ts";
import { explainFileError } from "../files/file-errors.ts";
import { detectFileKind, kindHeadBytes } from "../files/file-kind.ts";
import { localFiles } from "../files/local-files.ts";
import { findExisting } from "../files/paths.ts";
import { assertWorkingFolderOf } from "../files/regular-file.ts";
import { formatSize } from "../output/truncate.ts";
import { compileGlob } from "../search/glob.ts";
import { openRoot, type SearchRoot } from "../search/search-root.ts";
import type { GrepRequest } from "./grep-request.ts";
import type { FoundMatches } from "./matches.ts";
import { defaultLimit, type GrepParameters } from "./parameters.ts";
import { assertOneLine } from "./pattern-errors.ts";
import { type GrepDetails, renderMatches } from "./render-matches.ts";
import { findRipgrep, RipgrepUnavailable } from "./ripgrep-process.ts";

export interface GrepToolOptions extends FileToolOptions {
  /**
   * Returns the absolute path of ripgrep, or undefined to use a slower search with the same results. Default: the ripgrep that is installed with
   * this package. Not called if `files` is set, because ripgrep can only search this machine.
   */
  findRipgrep?: () => Promise<string | undefined>;
}

/** Executes one call of `grep`. */
export async function runGrep(
  params: GrepParameters,
  call: FileToolCall & Pick<GrepToolOptions, "findRipgrep">,
): Promise<AgentToolResult<GrepDetails>> {
  const { cwd, signal, files = localFiles } = call;
  const { pattern, path = ".", glob, context = 0, limit = defaultLimit } = params;
  let absolutePath = path;
  try {
    await assertWorkingFolderOf(files, cwd);
    assertOneLine(pattern);
    absolutePath = await findExisting(cwd, path, files);
    const root = await openRoot(files, cwd, absolutePath, path);
    if (root.type === "file" && (await isBinary(files, root))) return binaryResult(root, path);
    const request: GrepRequest = {
      files,
      root,
      pattern,
      isLiteral: params.literal ?? false,
      ignoreCase: params.ignoreCase ?? false,
      context,
      limit,
      signal,
      ...(root.type === "directory" && glob !== undefined && { glob: await compileFileGlob(glob) }),
    };
    const program = files === localFiles ? await (call.findRipgrep ?? findRipgrep)() : undefined;
    const { text, details } = renderMatches(await search(program, request), {
      path: absolutePath,
      show: root.show,
      context,
      limit,
    });
    return { content: [{ type: "text", text }], details };
  } catch (error) {
    throw await explainFileError(error, { files, cwd, action: "search", path, absolutePath });
  }
}

async function search(program: string | undefined, request: GrepRequest): Promise<FoundMatches> {
  if (program !== undefined) {
    const { searchWithRipgrep } = await import("./ripgrep-search.ts");
    try {
      return await searchWithRipgrep(program, request);
    } catch (error) {
      if (!(error instanceof RipgrepUnavailable)) throw error;
    }
  }
  const { searchThroughAccess } = await import("./scan-tree.ts");
  return searchThroughAccess(request);
}

async function compileFileGlob(text: string): Promise<NonNullable<GrepRequest["glob"]>> {
  const isNegated = text.startsWith("!");
  const body = isNegated ? text.slice(1) : text;
  // Only files are matched, so a glob for a folder means its content.
  const { matches } = await compileGlob(body.endsWith("/") ? `${body}**` : body);
  return { text, accepts: (path) => matches(path, false) !== isNegated };
}

async function isBinary(files: FileAccess, { realPath }: SearchRoot): Promise<boolean> {
  const file = await files.open(realPath);
  try {
    const head = Buffer.alloc(kindHeadBytes);
    return detectFileKind(head.subarray(0, await file.read(head, 0))).kind === "binary";
  } finally {
    await file.close();
  }
}

function binaryResult({ absolutePath, size }: SearchRoot, path: string): AgentToolResult<GrepDetails> {
  const nothing = { files: [], truncatedBy: null, unreadable: 0 };
  const { details } = renderMatches(nothing, { path: absolutePath, show: (inner) => inner, context: 0, limit: defaultLimit });
  const advice = "Look into it with bash, for example with strings or xxd.";
  const text = `No matches found: ${path} is a binary file (${formatSize(size)}), which is not searched. ${advice}`;
  return { content: [{ type: "text", text }], details };
}
