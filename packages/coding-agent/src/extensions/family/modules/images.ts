import { readStart } from "@pikit/ai/files";
import { detectFileKind, kindHeadBytes } from "../../../tools/files/file-kind.ts";

interface ResizeOptions {
  /** Pixels. Default: those that all providers accept. */
  maxWidth?: number;
  maxHeight?: number;
  /** Characters of base64. */
  maxBytes?: number;
}

interface Resized {
  /** Base64. */
  data: string;
  mimeType: string;
  originalWidth: number;
  originalHeight: number;
  width: number;
  height: number;
  wasResized: boolean;
}

/** Scales an image down to limits. Null if it cannot be decoded, or not be made small enough. */
async function resizeImage(bytes: Uint8Array, _mimeType: string, options: ResizeOptions = {}): Promise<Resized | null> {
  const [{ prepareImage }, { defaultImageLimits: limits }] = await Promise.all([
    import("../../../tools/images/prepare-image.ts"),
    import("../../../tools/images/image-limits.ts"),
  ]);
  const { maxWidth = limits.maxEdge, maxHeight = limits.maxEdge, maxBytes = limits.maxBase64 } = options;
  const maxEdge = Math.min(maxWidth, maxHeight);
  const { image, size, shownSize } = await prepareImage(bytes, { limits: { ...limits, maxEdge, maxBase64: maxBytes } });
  if (!image || !size || !shownSize) return null;
  const original = { originalWidth: size.width, originalHeight: size.height };
  return { data: image.data, mimeType: image.mimeType, ...original, ...shownSize, wasResized: shownSize.width !== size.width };
}

/** A note for the model about coordinates in a smaller image. */
function formatDimensionNote({ wasResized, originalWidth, originalHeight, width, height }: Resized): string | undefined {
  if (!wasResized) return undefined;
  const factor = (originalWidth / width).toFixed(2);
  return `[Image of ${originalWidth}x${originalHeight}, shown as ${width}x${height}. Multiply coordinates by ${factor} for those in the original.]`;
}

/** The type of an image that models take, by the beginning of the file; null for other files. */
async function detectSupportedImageMimeTypeFromFile(path: string): Promise<string | null> {
  const { bytes } = await readStart(path, kindHeadBytes);
  const found = detectFileKind(bytes);
  return found.kind === "image" ? found.mimeType : null;
}

/** The functions about images. */
export const imageFunctions: Record<string, unknown> = { resizeImage, formatDimensionNote, detectSupportedImageMimeTypeFromFile };
