import type { ImageContent, TextContent } from "./types.ts";

/** Maximum length of one image in base64 characters: 20 Mi. The most generous providers accept about that much per request. */
export const maxImageLength = 20 * 1024 ** 2;

/** An image that every provider can read, or the problem with it as a clause that can follow "but". */
export type CheckedImage = { image: ImageContent } | { problem: string };

const dataUrl = /^data:[\w.+/-]{0,100};base64,/i;
/** The number of base64 characters from which we detect the type. */
const headLength = 24;

const checked = new WeakMap<ImageContent, CheckedImage>();

/**
 * Checks an image before it enters a conversation: with an invalid image, a provider would reject this request and every later one.
 * The type comes from the first bytes, because programs often declare a wrong one. A data URL's prefix, line breaks and missing padding
 * are corrected. Pixels are not decoded.
 */
export function checkImage(image: ImageContent): CheckedImage {
  const known = checked.get(image);
  if (known) return known;
  const found = check(image);
  // Cached for the next turns: checking some megabytes takes some milliseconds.
  checked.set(image, found);
  return found;
}

/** The checked image, or a text note with the problem. */
export function imageOrNote(image: ImageContent): ImageContent | TextContent {
  const found = checkImage(image);
  return "image" in found ? found.image : { type: "text", text: `[An image was here, but ${found.problem}.]` };
}

function check(image: ImageContent): CheckedImage {
  if (typeof image.data !== "string" || image.data === "") return { problem: "it has no data" };
  if (image.data.length > maxImageLength) return { problem: `it has more than ${maxImageLength} characters of base64` };
  const data = mend(image.data);
  if (!isBase64(data)) return { problem: "its data is not valid base64" };
  const mimeType = imageTypeOf(Buffer.from(data.slice(0, headLength), "base64"));
  if (mimeType === undefined) return { problem: "its data is not a PNG, JPEG, GIF or WebP image" };
  const isAsGiven = data === image.data && mimeType === image.mimeType;
  return { image: isAsGiven ? image : { ...image, data, mimeType } };
}

function mend(data: string): string {
  const bare = data.replace(dataUrl, "").replace(/\s+/g, "");
  return bare.endsWith("=") ? bare : bare.padEnd(Math.ceil(bare.length / 4) * 4, "=");
}

/** Needed because the decoder skips invalid characters and accepts the URL-safe alphabet. */
function isBase64(data: string): boolean {
  if (data.length % 4 !== 0 || data.includes("-") || data.includes("_")) return false;
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Buffer.from(data, "base64").length === (data.length / 4) * 3 - padding;
}

/** Detects the image type from the first 12 bytes of a file; undefined if it is not a type that every provider accepts. */
export function imageTypeOf(bytes: Uint8Array): string | undefined {
  // As latin1 each character is a byte.
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (start.startsWith("GIF87a") || start.startsWith("GIF89a")) return "image/gif";
  return start.startsWith("RIFF") && start.slice(8, 12) === "WEBP" ? "image/webp" : undefined;
}
