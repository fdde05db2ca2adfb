/** What an image may be so that every provider takes it, and none scales it down again. */
export interface ImageLimits {
  /** Pixels of the longer side. */
  maxEdge: number;
  /** Pixels in all. */
  maxPixels: number;
  /** Characters of base64. */
  maxBase64: number;
}

/**
 * 1568 pixels and 1.15 million: what Anthropic recommends ("Vision", "Evaluate image size"); beyond it the service scales the image down,
 * and coordinates that the model reads from it are off. OpenAI (2048 pixels) and Google (3072) allow more. 5 MiB is the limit of an
 * image at Anthropic; Google's 20 MB and OpenAI's 50 MB are for a whole request.
 */
export const defaultImageLimits: ImageLimits = { maxEdge: 1568, maxPixels: 1_150_000, maxBase64: 5 * 1024 * 1024 };

/** Most pixels that are decoded: a photo of 48 million takes most of a gigabyte for a second. */
export const maxDecodedPixels = 50_000_000;

export interface Size {
  width: number;
  height: number;
}

/** The size within the limits that has the same shape; never larger than the image. */
export function fitInto({ width, height }: Size, { maxEdge, maxPixels }: Pick<ImageLimits, "maxEdge" | "maxPixels">): Size {
  const scale = Math.min(1, maxEdge / Math.max(width, height), Math.sqrt(maxPixels / (width * height)));
  if (scale === 1) return { width, height };
  return { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) };
}
