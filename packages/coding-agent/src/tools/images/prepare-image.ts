import type { ImageContent } from "@pikit/ai";
import { detectFileKind } from "../files/file-kind.ts";
import { formatSize } from "../output/truncate.ts";
import { type ImageHeader, readImageHeader } from "./image-header.ts";
import { defaultImageLimits, type ImageLimits, maxDecodedPixels, type Size } from "./image-limits.ts";
import { runImageJob } from "./run-worker.ts";
import type { ImageJobResult } from "./worker.ts";

/** An image for the model. */
export interface PreparedImage {
  /** Absent if the image cannot be shown. */
  image?: ImageContent;
  /** A note for the model: type, size and changes, or the reason why the image is not shown. Without a full stop. */
  description: string;
  /** Pixels of the file, upright. Absent if they are unknown. */
  size?: Size;
  /** Pixels of `image`. */
  shownSize?: Size;
}

export interface PrepareImageOptions {
  /** Default: limits that all providers accept. */
  limits?: ImageLimits;
  signal?: AbortSignal;
}

/**
 * Converts an image so that all providers accept it: within the limits, upright, without animation, in a common format. An acceptable image is
 * not changed, but it is decoded too, because an image that providers cannot decode makes all later requests of a session fail. The work is
 * done in another thread, one image at a time.
 *
 * @param bytes - PNG, JPEG, GIF or WebP; the type is detected from the bytes.
 * @throws The reason of the abort signal. An invalid image is a result, not an error.
 */
export async function prepareImage(bytes: Uint8Array, options: PrepareImageOptions = {}): Promise<PreparedImage> {
  const { limits = defaultImageLimits, signal = new AbortController().signal } = options;
  signal.throwIfAborted();
  const found = detectFileKind(bytes);
  if (found.kind !== "image") return { description: "not a PNG, JPEG, GIF or WebP image, so it cannot be shown" };
  const { mimeType } = found;
  const header = readImageHeader(bytes, mimeType);
  if (!header) return { description: `${mimeType}, ${formatSize(bytes.length)}; ${damaged}` };
  const size = uprightSize(header);
  const facts = `${mimeType}, ${formatSizeOf(size)}, ${formatSize(bytes.length)}`;
  if (size.width * size.height > maxDecodedPixels) {
    const limit = `it has ${formatMegapixels(size)} million pixels, and the limit is ${maxDecodedPixels / 1e6}`;
    return { size, description: `${facts}; too large to show: ${limit}. Make a smaller copy with bash and read that` };
  }
  const result = await runImageJob({ bytes, mimeType, header, limits }, signal);
  const problem = describeProblem(result);
  if (problem !== undefined || !result) return { size, description: `${facts}; ${problem}` };
  if (result.outcome !== "converted") return { size, shownSize: size, description: facts, image: toContent(bytes, mimeType) };
  const shownSize = { width: result.width, height: result.height };
  const changes = describeChanges({ header, mimeType, size }, { ...shownSize, mimeType: result.mimeType });
  return { size, shownSize, description: [facts, ...changes].join("; "), image: toContent(result.bytes, result.mimeType) };
}

/** Like `prepareImage`, for an image in base64. */
export function prepareImageContent({ data }: ImageContent, options?: PrepareImageOptions): Promise<PreparedImage> {
  return prepareImage(Buffer.from(data, "base64"), options);
}

const damaged = "it cannot be decoded, so it is not shown: the file is damaged or cut short";

function describeProblem(result: ImageJobResult | undefined): string | undefined {
  if (!result) return "it could not be decoded in time or memory, so it is not shown. Make a smaller copy with bash and read that";
  if (result.outcome === "undecodable") return damaged;
  if (result.outcome === "too_large") return "too many bytes to show, even when scaled down";
  return undefined;
}

function describeChanges(
  { header, mimeType, size }: { header: ImageHeader; mimeType: string; size: Size },
  shown: Size & { mimeType: string },
): string[] {
  const changes: string[] = [];
  if (header.isAnimated) changes.push("only the first frame of the animation is shown");
  if (header.orientation !== 1) changes.push("rotated upright according to its EXIF data");
  if (shown.mimeType !== mimeType) changes.push(`converted to ${shown.mimeType}`);
  if (changes.length === 0 && shown.width === size.width) changes.push("compressed again, because it has too many bytes");
  if (shown.width !== size.width) {
    const factor = (size.width / shown.width).toFixed(3);
    changes.push(`scaled down to ${formatSizeOf(shown)}: multiply coordinates in it by ${factor} for those in the file`);
  }
  return changes;
}

function uprightSize({ width, height, orientation }: ImageHeader): Size {
  return orientation >= 5 ? { width: height, height: width } : { width, height };
}

function formatSizeOf({ width, height }: Size): string {
  return `${width}×${height}`;
}

function formatMegapixels({ width, height }: Size): string {
  return ((width * height) / 1e6).toFixed(0);
}

function toContent(bytes: Uint8Array, mimeType: string): ImageContent {
  return { type: "image", mimeType, data: Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64") };
}
