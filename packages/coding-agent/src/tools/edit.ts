import { readFile } from "node:fs/promises";
import { type AgentTool, ToolError } from "@pikit/agent";
import { type Static, Type } from "@sinclair/typebox";
import { assertWorkingFolder } from "../exec/working-folder.ts";
import { applyReplacements, type Edit, locateEdits } from "./apply-edits.ts";
import { createEditDiff } from "./edit-diff.ts";
import { toFileError } from "./file-errors.ts";
import { inFileQueue } from "./file-queue.ts";
import { findExisting } from "./paths.ts";
import { statRegularFile } from "./regular-file.ts";
import { replaceFile } from "./replace-file.ts";
import { formatSize } from "./truncate.ts";

/** A larger file would block the process for too long. */
const maxFileBytes = 64 * 1024 * 1024;
const byteOrderMark = "\ufeff";

const oldText = Type.String({ description: "Text to replace, copied exactly from the file; it must occur there exactly once" });
const newText = Type.String({ description: "Text to put in its place; empty to delete" });
const editList = Type.Array(Type.Object({ oldText, newText }), {
  description:
    "Several replacements, made all or not at all; each oldText is looked for in the unchanged file, and none may overlap",
});

const parameters = Type.Object({
  path: Type.String({ description: "File to edit, absolute or relative to the working folder" }),
  oldText: Type.Optional(oldText),
  newText: Type.Optional(newText),
  // Some models write the list as a string of JSON.
  edits: Type.Optional(Type.Union([editList, Type.String({ description: "The same list as JSON text" })])),
});

export type EditParameters = Static<typeof parameters>;

export interface EditDetails {
  /** Absolute, with links followed. */
  path: string;
  /** Unified diff with line numbers. */
  diff: string;
  /** 1-based line in the new file. */
  firstChangedLine: number;
  replacements: number;
}

/** The `edit` tool for one working folder: replaces exact pieces of a text file. */
export function createEditTool(cwd: string): AgentTool<typeof parameters, EditDetails> {
  return {
    name: "edit",
    label: "Edit",
    description:
      "Replaces exact text in a file: give oldText and newText, or edits for several places in one call. " +
      "Read the file first, and include enough lines in oldText that it occurs only once. LF also matches CRLF.",
    parameters,
    async execute(_toolCallId, { path, ...request }, signal) {
      const edits = listEdits(request);
      let absolutePath = path;
      const locate = async () => {
        await assertWorkingFolder(cwd);
        absolutePath = await findExisting(cwd, path);
        return absolutePath;
      };
      try {
        return await inFileQueue(locate, async (realPath) => {
          signal.throwIfAborted();
          const { mark, text } = await readText(realPath, path);
          const replacements = locateEdits(text, edits, path);
          const changed = applyReplacements(text, replacements);
          if (changed === text)
            throw new ToolError("no_change", `The edit of ${path} changes nothing: old and new text are the same.`);
          await replaceFile(realPath, mark + changed, signal);
          const { diff, firstChangedLine } = createEditDiff(path, text, replacements);
          const count = `${replacements.length} ${replacements.length === 1 ? "replacement" : "replacements"}`;
          const report = `Edited ${path}: ${count}, first changed line ${firstChangedLine}.`;
          return {
            content: [{ type: "text", text: report }],
            details: { path: realPath, diff, firstChangedLine, replacements: replacements.length },
          };
        });
      } catch (error) {
        throw toFileError(error, "edit", path, absolutePath);
      }
    },
  };
}

/** Accepts all spellings: the list, the list as JSON, a single edit in its place, and the pair beside or instead of it. */
function listEdits({ oldText, newText, edits }: Omit<EditParameters, "path">): Edit[] {
  const listed = edits === undefined ? [] : toList(edits);
  const hasPair = oldText !== undefined && newText !== undefined;
  // Models that give both often repeat one edit.
  const isRepeated = listed.some((edit) => edit.oldText === oldText && edit.newText === newText);
  const all = hasPair && !isRepeated ? [{ oldText, newText }, ...listed] : listed;
  if (all.length === 0 || (oldText === undefined) !== (newText === undefined)) {
    throw new ToolError("invalid_arguments", "Give oldText together with newText, or edits as a list of {oldText, newText}.");
  }
  return all;
}

function toList(edits: unknown): Edit[] {
  const value = typeof edits === "string" ? parseJson(edits) : edits;
  const list = Array.isArray(value) ? value : [value];
  if (list.every(isEdit)) return list;
  throw new ToolError("invalid_arguments", "edits must be a list of {oldText, newText}, both strings.");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ToolError("invalid_arguments", "edits is a string but not JSON. Give a list of {oldText, newText}.", { cause });
  }
}

function isEdit(value: unknown): value is Edit {
  if (typeof value !== "object" || value === null) return false;
  const { oldText, newText } = value as Partial<Record<string, unknown>>;
  return typeof oldText === "string" && typeof newText === "string";
}

async function readText(realPath: string, path: string): Promise<{ mark: string; text: string }> {
  const { size } = await statRegularFile(realPath, "edit", path);
  if (size > maxFileBytes) {
    const limit = `it has ${formatSize(size)}, the limit is ${formatSize(maxFileBytes)}`;
    throw new ToolError("too_large", `Cannot edit ${path}: ${limit}. Use bash, for example sed -i.`);
  }
  const text = decodeUtf8(await readFile(realPath), path);
  return text.startsWith(byteOrderMark) ? { mark: byteOrderMark, text: text.slice(1) } : { mark: "", text };
}

function decodeUtf8(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    const advice = "Convert it first with bash and iconv, or change it with a program that knows its encoding.";
    throw new ToolError("not_utf8", `Cannot edit ${path}: it is not valid UTF-8, and saving it would damage it. ${advice}`, {
      cause,
    });
  }
}
