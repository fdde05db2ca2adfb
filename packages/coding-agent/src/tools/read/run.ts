import { ToolError } from "@pikit/agent";
import type { ImageContent, TextContent } from "@pikit/ai";
import { fileLimits } from "@pikit/ai/files/sync";
import { defaultOutputLimits } from "../../exec/output-limits.ts";
import type { FileToolCall, OpenFile } from "../files/file-access.ts";
import { explainFileError } from "../files/file-errors.ts";
import { detectFileKind, kindHeadBytes } from "../files/file-kind.ts";
import { localFiles } from "../files/local-files.ts";
import { findExisting } from "../files/paths.ts";
import { readWholeFile } from "../files/read-whole-file.ts";
import { assertWorkingFolderOf, statRegularFile } from "../files/regular-file.ts";
import type { Size } from "../images/image-limits.ts";
import { formatSize } from "../output/truncate.ts";
import type { ReadParameters } from "./parameters.ts";
import { type LineWindow, readLines } from "./read-lines.ts";

/** Maximum size of an image file; larger ones are not read. */
const maxImageFileBytes = fileLimits.image;
const { maxLines, maxBytes } = defaultOutputLimits;

export interface ReadDetails {
  /** Absolute. */
  path: string;
  /** Only for images: the type of the file, such as `image/png`. */
  mimeType?: string;
  /** Only for images: pixels of the file, upright. */
  imageSize?: Size;
  /** Only for images that are shown: pixels of the image for the model, which may be scaled down. */
  shownImageSize?: Size;
  /** Whether the file has more lines after the returned ones. */
  truncated: boolean;
  truncatedBy: "lines" | "bytes" | null;
  /** 1-based number of the first returned line. */
  firstLine: number;
  outputLines: number;
  /** UTF-8 bytes. */
  outputBytes: number;
  /** null if the file is too long to count its lines, or not text. */
  totalLines: number | null;
}

/** Executes one call of `read`. */
export async function runRead(
  { path, offset = 1, limit = maxLines }: ReadParameters,
  { cwd, signal, files = localFiles }: FileToolCall,
) {
  let absolutePath = path;
  try {
    await assertWorkingFolderOf(files, cwd);
    absolutePath = await findExisting(cwd, path, files);
    const { size } = await statRegularFile(files, absolutePath, "read", path);
    const file = await files.open(absolutePath);
    try {
      const head = Buffer.alloc(kindHeadBytes);
      const found = detectFileKind(head.subarray(0, await file.read(head, 0)));
      if (found.kind === "image") return await readImage(file, { path, absolutePath, size, mimeType: found.mimeType }, signal);
      if (found.kind === "binary") throw binaryError(path, size, found.format);
      const limits = { maxLines: Math.min(limit, maxLines), maxBytes };
      const window = await readLines(file, { encoding: found.encoding, offset, limits, signal });
      return textResult({ path, absolutePath, offset, limit }, window);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw await explainFileError(error, { files, cwd, action: "read", path, absolutePath });
  }
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
  const advice = `Continue with offset=${next}.`;
  if (truncatedBy === "lines" && limit < maxLines) {
    const more = totalLines === null ? "More lines" : `${totalLines - next + 1} more lines`;
    return `[${more} in the file. ${advice}]`;
  }
  const total = totalLines === null ? "" : ` of ${totalLines}`;
  const reason = truncatedBy === "lines" ? `${maxLines}-line limit` : `${formatSize(maxBytes)} limit`;
  return `[Showing lines ${offset}-${next - 1}${total} (${reason}). ${advice}]`;
}

interface FoundImage {
  path: string;
  absolutePath: string;
  size: number;
  mimeType: string;
}

async function readImage(file: OpenFile, { path, absolutePath, size, mimeType }: FoundImage, signal: AbortSignal) {
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
  if (size > maxImageFileBytes) {
    const limit = `too large to show: the limit is ${formatSize(maxImageFileBytes)}. Make a smaller copy with bash and read that`;
    const text = `[${path}: ${mimeType}, ${formatSize(size)}; ${limit}]`;
    return { content: [{ type: "text", text } satisfies TextContent], details };
  }
  const { prepareImage } = await import("../images/prepare-image.ts");
  const prepared = await prepareImage(await readWholeFile(file, { path, size, maxBytes: maxImageFileBytes, signal }), {
    signal,
  });
  const content: (TextContent | ImageContent)[] = [{ type: "text", text: `[${path}: ${prepared.description}]` }];
  if (prepared.image) content.push(prepared.image);
  if (prepared.size) details.imageSize = prepared.size;
  if (prepared.shownSize) details.shownImageSize = prepared.shownSize;
  return { content, details };
}

function binaryError(path: string, size: number, imageFormat?: string): ToolError {
  if (imageFormat !== undefined) {
    const advice = "Convert it with bash, for example to PNG, and read that.";
    const reason = `${path} is an image in ${imageFormat} format (${formatSize(size)}), which cannot be shown`;
    return new ToolError("unsupported_image", `${reason}. ${advice}`);
  }
  const advice = "Look into it with bash, for example with file, strings or xxd | head.";
  return new ToolError("binary", `${path} is a binary file (${formatSize(size)}) and cannot be shown as text. ${advice}`);
}

function quoteForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
