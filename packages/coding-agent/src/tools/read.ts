import { type FileHandle, open } from "node:fs/promises";
import { type AgentTool, ToolError } from "@pikit/agent";
import type { ImageContent, TextContent } from "@pikit/ai";
import { type Static, Type } from "@sinclair/typebox";
import { defaultOutputLimits } from "../exec/output-limits.ts";
import { assertWorkingFolder } from "../exec/working-folder.ts";
import { toFileError } from "./file-errors.ts";
import { detectFileKind, kindHeadBytes } from "./file-kind.ts";
import { findExisting } from "./paths.ts";
import { type LineWindow, readLines } from "./read-lines.ts";
import { statRegularFile } from "./regular-file.ts";
import { formatSize } from "./truncate.ts";

/** The largest image that providers take, in characters of base64. */
const maxImageBase64 = 5 * 1024 * 1024;
const { maxLines, maxBytes } = defaultOutputLimits;

const parameters = Type.Object({
  path: Type.String({ description: "File to read, absolute or relative to the working folder" }),
  offset: Type.Optional(Type.Integer({ minimum: 1, description: "1-based number of the first line to return (default 1)" })),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: `Most lines to return (default and maximum ${maxLines})` })),
});

export type ReadParameters = Static<typeof parameters>;

export interface ReadDetails {
  /** Absolute. */
  path: string;
  /** `image/png` and the like for an image, else absent. */
  mimeType?: string;
  /** Whether lines are missing after those returned. */
  truncated: boolean;
  truncatedBy: "lines" | "bytes" | null;
  /** 1-based number of the first line returned. */
  firstLine: number;
  outputLines: number;
  /** UTF-8 bytes. */
  outputBytes: number;
  /** null when the file is too long to count them, or not text. */
  totalLines: number | null;
}

/** The `read` tool for one working folder: text by lines, images as images. */
export function createReadTool(cwd: string): AgentTool<typeof parameters, ReadDetails> {
  return {
    name: "read",
    label: "Read",
    description:
      `Reads a text file or an image (PNG, JPEG, GIF, WebP). Text comes as at most ${maxLines} lines or ${formatSize(maxBytes)}, ` +
      "whichever is less, always whole lines; a note at the end tells the offset to go on with.",
    parameters,
    executionMode: "parallel",
    async execute(_toolCallId, { path, offset = 1, limit = maxLines }, signal) {
      let absolutePath = path;
      try {
        await assertWorkingFolder(cwd);
        absolutePath = await findExisting(cwd, path);
        const { size } = await statRegularFile(absolutePath, "read", path);
        const file = await open(absolutePath);
        try {
          const { bytesRead, buffer } = await file.read(Buffer.alloc(kindHeadBytes), 0, kindHeadBytes, 0);
          const found = detectFileKind(buffer.subarray(0, bytesRead));
          if (found.kind === "image") return await readImage(file, { path, absolutePath, size, mimeType: found.mimeType });
          if (found.kind === "binary") throw binaryError(path, size);
          const limits = { maxLines: Math.min(limit, maxLines), maxBytes };
          const window = await readLines(file, { encoding: found.encoding, offset, limits, signal });
          return textResult({ path, absolutePath, offset, limit }, window);
        } finally {
          await file.close();
        }
      } catch (error) {
        throw toFileError(error, "read", path, absolutePath);
      }
    },
  };
}

interface TextRequest {
  path: string;
  absolutePath: string;
  offset: number;
  limit: number;
}

function textResult(request: TextRequest, window: LineWindow) {
  const { path, absolutePath, offset } = request;
  const { lines, totalLines, truncatedBy } = window;
  if (totalLines !== null && offset > Math.max(totalLines, 1)) {
    const advice = totalLines === 0 ? "It is empty." : `Use an offset from 1 to ${totalLines}.`;
    throw new ToolError("out_of_range", `Offset ${offset} is past the end of ${path}, which has ${totalLines} lines. ${advice}`);
  }
  const details: ReadDetails = {
    path: absolutePath,
    truncated: truncatedBy !== null,
    truncatedBy,
    firstLine: offset,
    outputLines: lines.length,
    outputBytes: window.bytes,
    totalLines,
  };
  const note = textNote(request, window);
  const parts = lines.length === 0 ? [] : [lines.join("\n")];
  if (note !== undefined) parts.push(note);
  const text = totalLines === 0 ? `(${path} is an empty file)` : parts.join("\n\n");
  return { content: [{ type: "text", text } satisfies TextContent], details };
}

function textNote(
  { absolutePath, offset, limit }: TextRequest,
  { lines, totalLines, truncatedBy }: LineWindow,
): string | undefined {
  if (truncatedBy === null) return undefined;
  const next = offset + lines.length;
  if (lines.length === 0) {
    const command = `sed -n '${offset}p' ${quoteForShell(absolutePath)} | head -c ${maxBytes}`;
    return `[Line ${offset} alone is over the ${formatSize(maxBytes)} limit. See its beginning with bash: ${command}. The next line is offset=${offset + 1}.]`;
  }
  const goOn = `Continue with offset=${next}.`;
  if (truncatedBy === "lines" && limit < maxLines) {
    const more = totalLines === null ? "More lines" : `${totalLines - next + 1} more lines`;
    return `[${more} in the file. ${goOn}]`;
  }
  const total = totalLines === null ? "" : ` of ${totalLines}`;
  const reason = truncatedBy === "lines" ? `${maxLines}-line limit` : `${formatSize(maxBytes)} limit`;
  return `[Showing lines ${offset}-${next - 1}${total} (${reason}). ${goOn}]`;
}

interface FoundImage {
  path: string;
  absolutePath: string;
  size: number;
  mimeType: string;
}

async function readImage(file: FileHandle, { path, absolutePath, size, mimeType }: FoundImage) {
  const details: ReadDetails = {
    path: absolutePath,
    mimeType,
    truncated: false,
    truncatedBy: null,
    firstLine: 1,
    outputLines: 0,
    outputBytes: 0,
    totalLines: null,
  };
  const isTooLarge = Math.ceil(size / 3) * 4 > maxImageBase64;
  const text = isTooLarge
    ? `[${path} is an image (${mimeType}, ${formatSize(size)}), too large to show: the limit is ${formatSize((maxImageBase64 / 4) * 3)}. Make a smaller copy with bash and read that.]`
    : `[${path}: ${mimeType}, ${formatSize(size)}]`;
  const content: (TextContent | ImageContent)[] = [{ type: "text", text }];
  if (!isTooLarge) content.push({ type: "image", data: (await file.readFile()).toString("base64"), mimeType });
  return { content, details };
}

function binaryError(path: string, size: number): ToolError {
  const advice = "Look into it with bash, for example with file, strings or xxd | head.";
  return new ToolError("binary", `${path} is a binary file (${formatSize(size)}) and cannot be shown as text. ${advice}`);
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
