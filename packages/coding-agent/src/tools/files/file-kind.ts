import { imageTypeOf } from "@pikit/ai";

/** The number of bytes from the start of a file that `detectFileKind` needs. */
export const kindHeadBytes = 8192;

export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be";

export type FileKind =
  | { kind: "text"; encoding: TextEncoding }
  | { kind: "image"; mimeType: string }
  /** `format` is set for image formats that models do not support. */
  | { kind: "binary"; format?: string };

/**
 * Detects the kind of a file from its first bytes, not from its name. Images are only the formats that every provider accepts. A file with a
 * NUL byte is binary, unless it has a byte order mark for UTF-16.
 */
export function detectFileKind(head: Uint8Array): FileKind {
  // In latin1 each character is one byte.
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
