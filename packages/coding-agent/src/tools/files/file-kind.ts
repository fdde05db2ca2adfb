import { imageTypeOf } from "@pikit/ai";

/** How many bytes from a file's head `detectFileKind` should get. */
export const kindHeadBytes = 8192;

export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be";

export type FileKind =
  | { kind: "text"; encoding: TextEncoding }
  | { kind: "image"; mimeType: string }
  /** `format` names an image that models cannot see. */
  | { kind: "binary"; format?: string };

/**
 * Tells what a file is from its first bytes, not from its name. Images are those that every provider takes. A NUL byte makes a file
 * binary unless a byte order mark says UTF-16.
 */
export function detectFileKind(head: Uint8Array): FileKind {
  // As latin1 each character is a byte.
  const start = Buffer.from(head.subarray(0, 16)).toString("latin1");
  const mimeType = imageTypeOf(head);
  if (mimeType !== undefined) return { kind: "image", mimeType };
  if (start.startsWith("\xff\xfe")) return { kind: "text", encoding: "utf-16le" };
  if (start.startsWith("\xfe\xff")) return { kind: "text", encoding: "utf-16be" };
  if (!head.includes(0)) return { kind: "text", encoding: "utf-8" };
  const format = otherImageFormat(start);
  return format === undefined ? { kind: "binary" } : { kind: "binary", format };
}

function otherImageFormat(start: string): string | undefined {
  if (start.startsWith("BM")) return "BMP";
  if (start.startsWith("II*\0") || start.startsWith("MM\0*")) return "TIFF";
  if (start.startsWith("\0\0\x01\0")) return "ICO";
  if (start.startsWith("8BPS")) return "Photoshop";
  // ISO/IEC 23008-12: the brand follows `ftyp`.
  const brand = /^\0\0\0.ftyp(avif|avis|heic|heix|hevc|mif1|msf1)/s.exec(start)?.[1];
  return brand && (brand.startsWith("avi") ? "AVIF" : "HEIC");
}
