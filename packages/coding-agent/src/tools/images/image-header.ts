import { type Orientation, readOrientation } from "./exif-orientation.ts";

/** The properties of an image that can be read without decoding it. */
export interface ImageHeader {
  /** Pixels as stored, before the orientation is applied. */
  width: number;
  height: number;
  orientation: Orientation;
  /** Whether the image has more than one frame. */
  isAnimated: boolean;
}

/**
 * Reads the header of a PNG, JPEG, GIF or WebP.
 *
 * @param mimeType - From `detectFileKind`.
 * @returns undefined if the size cannot be read, because the file is damaged.
 */
export function readImageHeader(bytes: Uint8Array, mimeType: string): ImageHeader | undefined {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const readers: Record<string, (image: Buffer) => ImageHeader | undefined> = {
    "image/png": readPng,
    "image/jpeg": readJpeg,
    "image/gif": readGif,
    "image/webp": readWebp,
  };
  const header = readers[mimeType]?.(buffer);
  return header && header.width > 0 && header.height > 0 ? header : undefined;
}

/** Source: PNG specification, "Chunk layout", "eXIf" and "acTL". */
function readPng(image: Buffer): ImageHeader | undefined {
  if (image.length < 33 || image.toString("latin1", 12, 16) !== "IHDR") return undefined;
  const header: ImageHeader = { width: image.readUInt32BE(16), height: image.readUInt32BE(20), orientation: 1, isAnimated: false };
  for (let at = 8; at + 8 <= image.length; ) {
    const length = image.readUInt32BE(at);
    const name = image.toString("latin1", at + 4, at + 8);
    const end = at + 8 + length;
    if (name === "acTL") header.isAnimated = true;
    if (name === "eXIf") header.orientation = readOrientation(image.subarray(at + 8, end));
    if (name === "IEND") break;
    at = end + 4;
  }
  return header;
}

/** Source: ITU T.81, "Marker assignments". The size is in the frame header: FFC0 to FFCF except DHT, JPG and DAC. */
function readJpeg(image: Buffer): ImageHeader | undefined {
  let orientation: Orientation = 1;
  for (let at = 2; at + 9 <= image.length; ) {
    if (image[at] !== 0xff) return undefined;
    const marker = image[at + 1] ?? 0;
    if (marker === 0xff) {
      at++;
      continue;
    }
    // Markers without content.
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) {
      at += 2;
      continue;
    }
    const end = at + 2 + image.readUInt16BE(at + 2);
    if (marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc) {
      return { width: image.readUInt16BE(at + 7), height: image.readUInt16BE(at + 5), orientation, isAnimated: false };
    }
    if (marker === 0xe1 && image.toString("latin1", at + 4, at + 10) === "Exif\0\0") {
      orientation = readOrientation(image.subarray(at + 4, end));
    }
    at = end;
  }
  return undefined;
}

/** Source: GIF89a specification. Counts the frames by their blocks. */
function readGif(image: Buffer): ImageHeader | undefined {
  if (image.length < 13) return undefined;
  const header: ImageHeader = { width: image.readUInt16LE(6), height: image.readUInt16LE(8), orientation: 1, isAnimated: false };
  const colourTable = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0);
  let frames = 0;
  for (let at = 13 + colourTable(image[10] ?? 0); at < image.length && frames < 2; ) {
    const kind = image[at];
    if (kind === 0x2c) {
      frames++;
      at += 10 + colourTable(image[at + 9] ?? 0) + 1;
    } else if (kind === 0x21) at += 2;
    else break;
    // Both kinds continue with sub-blocks; an empty one is the last.
    for (let length = image[at] ?? 0; length > 0; length = image[at] ?? 0) at += length + 1;
    at++;
  }
  return { ...header, isAnimated: frames > 1 };
}

/** Source: RFC 9649, WebP container, VP8 and VP8L headers. */
function readWebp(image: Buffer): ImageHeader | undefined {
  if (image.length < 30) return undefined;
  const first = image.toString("latin1", 12, 16);
  if (first === "VP8 ") return still(image.readUInt16LE(26) & 0x3fff, image.readUInt16LE(28) & 0x3fff);
  if (first === "VP8L") {
    const bits = image.readUInt32LE(21);
    return still((bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1);
  }
  if (first !== "VP8X") return undefined;
  const header = still(image.readUIntLE(24, 3) + 1, image.readUIntLE(27, 3) + 1);
  header.isAnimated = ((image[20] ?? 0) & 2) !== 0;
  for (let at = 30; at + 8 <= image.length; ) {
    const length = image.readUInt32LE(at + 4);
    const end = at + 8 + length;
    if (image.toString("latin1", at, at + 4) === "EXIF") header.orientation = readOrientation(image.subarray(at + 8, end));
    at = end + (length % 2);
  }
  return header;
}

function still(width: number, height: number): ImageHeader {
  return { width, height, orientation: 1, isAnimated: false };
}
