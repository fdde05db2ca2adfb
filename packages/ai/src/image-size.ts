/** Base64 characters that are read. The size is near the beginning of the file; in JPEG files it follows the metadata. */
const maxScannedLength = 4 * 65_536;

/** Width and height in pixels. */
export interface ImageSize {
  width: number;
  height: number;
}

/** Reads the size from the header of a PNG, GIF, WebP or JPEG file; undefined for other formats and damaged files. */
export function readImageSize(base64: string): ImageSize | undefined {
  const bytes = Buffer.from(base64.slice(0, maxScannedLength), "base64");
  try {
    return readPng(bytes) ?? readGif(bytes) ?? readWebP(bytes) ?? readJpeg(bytes);
  } catch (error) {
    if (error instanceof RangeError) return undefined; // the file ends before its size
    throw error;
  }
}

function readPng(bytes: Buffer): ImageSize | undefined {
  if (bytes.toString("latin1", 1, 4) !== "PNG") return undefined;
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function readGif(bytes: Buffer): ImageSize | undefined {
  if (bytes.toString("latin1", 0, 4) !== "GIF8") return undefined;
  return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

/** Three kinds of WebP: lossy, lossless, extended. Source: RFC 9649, section 2. */
function readWebP(bytes: Buffer): ImageSize | undefined {
  if (bytes.toString("latin1", 0, 4) !== "RIFF" || bytes.toString("latin1", 8, 12) !== "WEBP") return undefined;
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** Walks the segments to the frame header, which is one of SOF0 to SOF15 (C4, C8 and CC are tables). */
function readJpeg(bytes: Buffer): ImageSize | undefined {
  if (bytes.length < 4 || bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  let at = 2;
  while (bytes.readUInt8(at) === 0xff) {
    const marker = bytes.readUInt8(at + 1);
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2);
  }
  return undefined;
}
