/** The beginning of an image file of the given size, in base64: enough to say how large it is, with no picture behind it. */
export function imageFile(
  kind: "png" | "gif" | "jpeg" | "webp" | "webp-lossless" | "webp-extended",
  width: number,
  height: number,
): string {
  return headers[kind](width, height).toString("base64");
}

const headers = {
  png: (width: number, height: number) =>
    Buffer.concat([
      Buffer.from("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR", "latin1"),
      uint32(width),
      uint32(height),
      Buffer.from([8, 6, 0, 0, 0]),
    ]),
  gif: (width: number, height: number) => Buffer.concat([Buffer.from("GIF89a", "latin1"), uint16le(width), uint16le(height)]),
  // With metadata in front of the frame header, as cameras write it.
  jpeg: (width: number, height: number) =>
    Buffer.concat([
      Buffer.from([0xff, 0xd8, 0xff, 0xe1, 0x00, 0x08, 1, 2, 3, 4, 5, 6, 0xff, 0xc4, 0x00, 0x03, 0, 0xff, 0xc0, 0x00, 0x0b, 8]),
      uint16be(height),
      uint16be(width),
      Buffer.from([1, 1, 0x11, 0]),
    ]),
  webp: (width: number, height: number) =>
    riff("VP8 ", Buffer.concat([Buffer.from([0, 0, 0, 0x9d, 0x01, 0x2a]), uint16le(width), uint16le(height)])),
  "webp-lossless": (width: number, height: number) =>
    riff("VP8L", Buffer.concat([Buffer.from([0x2f]), uint32le((width - 1) | ((height - 1) << 14))])),
  "webp-extended": (width: number, height: number) =>
    riff("VP8X", Buffer.concat([Buffer.from([0, 0, 0, 0]), uint24le(width - 1), uint24le(height - 1)])),
};

function riff(chunk: string, content: Buffer): Buffer {
  const length = uint32le(content.length);
  return Buffer.concat([Buffer.from("RIFF\0\0\0\0WEBP", "latin1"), Buffer.from(chunk, "latin1"), length, content]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function uint32le(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value >>> 0);
  return bytes;
}

function uint24le(value: number): Buffer {
  return uint32le(value).subarray(0, 3);
}

function uint16be(value: number): Buffer {
  return uint32(value).subarray(2);
}

function uint16le(value: number): Buffer {
  return uint32le(value).subarray(0, 2);
}
