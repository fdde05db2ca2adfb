/** Limits for images that every provider accepts without scaling them down. */
export interface ImageLimits {
  /** Pixels of the longer side. */
  maxEdge: number;
  /** Total pixels. */
  maxPixels: number;
  /** Characters of base64. */
  maxBase64: number;
}

/**
 * 1568 pixels and 1.15 million: the recommendation of Anthropic ("Vision", "Evaluate image size"). Anthropic scales larger images down, and
 * coordinates that the model reads from them are then wrong. OpenAI (2048 pixels) and Google (3072) allow more. 5 MiB is Anthropic's limit
 * for an image; Google's 20 MB and OpenAI's 50 MB are for a whole request.
 */
export const defaultImageLimits: ImageLimits = { maxEdge: 1568, maxPixels: 1_150_000, maxBase64: 5 * 1024 * 1024 };

/** Maximum pixels to decode: a photo of 48 million pixels takes almost a gigabyte for a second. */
export const maxDecodedPixels = 50_000_000;

export interface Size {
  width: number;
  height: number;
}

/** Returns the largest size within the limits with the same aspect ratio; never larger than the image. */
export function fitInto({ width, height }: Size, { maxEdge, maxPixels }: Pick<ImageLimits, "maxEdge" | "maxPixels">): Size {
  const scale = Math.min(1, maxEdge / Math.max(width, height), Math.sqrt(maxPixels / (width * height)));
  if (scale === 1) return { width, height };
  return { width: Math.max(1, Math.floor(width * scale)), height: Math.max(1, Math.floor(height * scale)) };
}
