import type { ImageContent, TextContent } from "./types.ts";

/** Most characters of base64 that one image may have: 20 Mi. The providers that take the most take about that for a whole request. */
export const maxImageLength = 20 * 1024 ** 2;

/** An image that every provider knows how to read, or why it is none; without a full stop, to stand behind "but". */
export type CheckedImage = { image: ImageContent } | { problem: string };

const dataUrl = /^data:[\w.+/-]{0,100};base64,/i;
/** Base64 characters that are looked at to tell the type. */
const headLength = 24;

const checked = new WeakMap<ImageContent, CheckedImage>();

/**
 * Checks an image wherever one comes in: a provider refuses the whole request for one that is none, and with it every later one of the
 * conversation. Its own first bytes say what type it has, since programs often declare another; a data URL's prefix, line breaks and
 * missing padding are mended. Pixels are not decoded.
 */
export function checkImage(image: ImageContent): CheckedImage {
  const known = checked.get(image);
  if (known) return known;
  const found = check(image);
  // Not asked again in each turn: reading some megabytes takes some milliseconds.
  checked.set(image, found);
  return found;
}

/** The image, or a text that says why it is not there. */
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

/** The decoder passes over what is none, and takes the letters of URLs too. */
function isBase64(data: string): boolean {
  if (data.length % 4 !== 0 || data.includes("-") || data.includes("_")) return false;
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Buffer.from(data, "base64").length === (data.length / 4) * 3 - padding;
}

/** The type that the first 12 bytes of a file tell, whatever its name says; undefined where it is no image that every provider takes. */
export function imageTypeOf(bytes: Uint8Array): string | undefined {
  // As latin1 each character is a byte.
  const start = Buffer.from(bytes.subarray(0, 12)).toString("latin1");
  if (start.startsWith("\x89PNG\r\n\x1a\n")) return "image/png";
  if (start.startsWith("\xff\xd8\xff")) return "image/jpeg";
  if (start.startsWith("GIF87a") || start.startsWith("GIF89a")) return "image/gif";
  return start.startsWith("RIFF") && start.slice(8, 12) === "WEBP" ? "image/webp" : undefined;
}
