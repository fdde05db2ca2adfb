import { isUtf8 } from "node:buffer";
import { type AgentToolResult, ToolError } from "@pikit/agent";
import { fileLimits } from "@pikit/ai/files/sync";
import type { FileAccess, FileChangeCall } from "../files/file-access.ts";
import { explainFileError } from "../files/file-errors.ts";
import { inFileQueue } from "../files/file-queue.ts";
import { replaceKept } from "../files/keep.ts";
import { localFiles } from "../files/local-files.ts";
import { findExisting } from "../files/paths.ts";
import { readWholeFile } from "../files/read-whole-file.ts";
import { assertWorkingFolderOf, statRegularFile } from "../files/regular-file.ts";
import { formatSize } from "../output/truncate.ts";
import { createEditDiff } from "./edit-diff.ts";
import { type Edit, locateEdits } from "./locate-edits.ts";
import { Pacer } from "./pacer.ts";
import type { EditParameters } from "./parameters.ts";
import { applyReplacements } from "./replacement.ts";

const maxFileBytes = fileLimits.edit;
const byteOrderMark = Buffer.from("\ufeff");

export interface EditDetails {
  /** Absolute, with links resolved. */
  path: string;
  /** Unified diff with line numbers; applied to the old content, it gives the new content. Empty if it would exceed 256 KB. */
  diff: string;
  /** 1-based line in the new file. */
  firstChangedLine: number;
  /** The number of edits. */
  replacements: number;
  /** The number of edits without an exact match. */
  tolerantMatches: number;
}

/** Executes one call of `edit`. */
export async function runEdit(
  { path, ...request }: EditParameters,
  { toolCallId, cwd, signal, files = localFiles, keeper }: FileChangeCall,
): Promise<AgentToolResult<EditDetails>> {
  const edits = listEdits(request);
  let absolutePath = path;
  const locate = async () => {
    await assertWorkingFolderOf(files, cwd);
    absolutePath = await findExisting(cwd, path, files);
    return absolutePath;
  };
  const task = async (realPath: string) => {
    signal.throwIfAborted();
    const original = await readText(files, realPath, path, signal);
    const result = await editText(original, edits, path, new Pacer(signal));
    const change = { keeper, toolCallId, files, path: realPath, content: result.changed, before: original };
    await replaceKept(change, () => files.replace(realPath, result.changed, signal));
    return toToolResult(path, realPath, result);
  };
  try {
    return await inFileQueue(locate, task, files);
  } catch (error) {
    throw await explainFileError(error, { files, cwd, action: "edit", path, absolutePath });
  }
}

interface EditedText {
  changed: Buffer;
  diff: string;
  firstChangedLine: number;
  /** The number of edits. */
  count: number;
  /** Indexes of the edits without an exact match. */
  tolerant: number[];
}

async function editText(original: Buffer, edits: readonly Edit[], path: string, pacer: Pacer): Promise<EditedText> {
  const markLength = original.indexOf(byteOrderMark) === 0 ? byteOrderMark.length : 0;
  const located = await locateEdits(original.subarray(markLength), edits, path, pacer);
  const replacements = located.replacements.map(({ start, end, text }) => ({
    start: start + markLength,
    end: end + markLength,
    text,
  }));
  const changed = applyReplacements(original, replacements);
  await pacer.pause();
  if (changed.equals(original)) {
    throw new ToolError("no_change", `The edit of ${path} changes nothing: old and new text are the same.`);
  }
  const { diff, firstChangedLine } = await createEditDiff(path, original, replacements, pacer);
  return { changed, diff, firstChangedLine, count: edits.length, tolerant: located.tolerant };
}

function toToolResult(path: string, realPath: string, { diff, firstChangedLine, count, tolerant }: EditedText) {
  const made = `${count} ${count === 1 ? "replacement" : "replacements"}`;
  const note =
    tolerant.length === 0
      ? ""
      : ` ${count === 1 ? "oldText" : tolerant.map((index) => `edits[${index}]`).join(", ")} matched only with differences in blanks ` +
        "at line ends or in kinds of quotes, dashes or spaces; lines that newText keeps stayed as they were in the file.";
  const text = `Edited ${path}: ${made}, first changed line ${firstChangedLine}.${note}`;
  const details: EditDetails = { path: realPath, diff, firstChangedLine, replacements: count, tolerantMatches: tolerant.length };
  return { content: [{ type: "text" as const, text }], details };
}

/** Accepts all forms: the list, a single edit instead of the list, and the pair instead of the list or in addition to it. */
function listEdits({ oldText, newText, edits }: Omit<EditParameters, "path">): Edit[] {
  const listed = edits === undefined ? [] : Array.isArray(edits) ? edits : [edits];
  const hasPair = oldText !== undefined && newText !== undefined;
  // Models that give both forms often repeat one edit.
  const isRepeated = listed.some((edit) => edit.oldText === oldText && edit.newText === newText);
  const all = hasPair && !isRepeated ? [{ oldText, newText }, ...listed] : listed;
  if (all.length === 0 || (oldText === undefined) !== (newText === undefined)) {
    throw new ToolError("invalid_arguments", "Give oldText together with newText, or edits as a list of {oldText, newText}.");
  }
  return all;
}

async function readText(files: FileAccess, realPath: string, path: string, signal: AbortSignal): Promise<Buffer> {
  const { size } = await statRegularFile(files, realPath, "edit", path);
  if (size > maxFileBytes) {
    const limit = `it has ${formatSize(size)}, the limit is ${formatSize(maxFileBytes)}`;
    throw new ToolError("too_large", `Cannot edit ${path}: ${limit}. Use bash, for example sed -i.`);
  }
  const file = await files.open(realPath);
  try {
    const bytes = await readWholeFile(file, { path, size, maxBytes: maxFileBytes, signal });
    if (isUtf8(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  } finally {
    await file.close();
  }
  const advice = "Convert it first with bash and iconv, or change it with a program that knows its encoding.";
  throw new ToolError("not_utf8", `Cannot edit ${path}: it is not valid UTF-8, and saving it would damage it. ${advice}`);
}
