import { expect, test } from "vitest";
import { readImageHeader } from "../../../src/tools/images/image-header.ts";
import { defaultImageLimits, fitInto } from "../../../src/tools/images/image-limits.ts";
import { exif, makeAnimatedWebp, makeGif, makeJpeg, makePng, makeWebp, withJpegExif, withPngChunk } from "./make-images.ts";

const still = { width: 7, height: 5, orientation: 1, isAnimated: false };
const animation = Buffer.from([0, 0, 0, 2, 0, 0, 0, 0]);
/** The extended WebP header with a size, and EXIF data after the image. */
const extendedWebp = (() => {
  const webp = makeAnimatedWebp([makeWebp(7, 5)], 7, 5);
  const chunk = Buffer.alloc(8);
  chunk.write("EXIF", "latin1");
  chunk.writeUInt32LE(26, 4);
  return Buffer.concat([webp, chunk, exif(8)]);
})();

test.each([
  ["image/png", makePng(7, 5), still],
  ["image/png", withPngChunk(makePng(7, 5), "acTL", animation), { ...still, isAnimated: true }],
  ["image/png", withPngChunk(makePng(7, 5), "eXIf", exif(3, "MM")), { ...still, orientation: 3 }],
  ["image/jpeg", makeJpeg(7, 5), still],
  ["image/jpeg", withJpegExif(makeJpeg(7, 5), 6), { ...still, orientation: 6 }],
  ["image/gif", makeGif(1), { ...still, width: 1, height: 1 }],
  ["image/gif", makeGif(2), { ...still, width: 1, height: 1, isAnimated: true }],
  ["image/webp", makeWebp(7, 5), still],
  ["image/webp", extendedWebp, { ...still, isAnimated: true, orientation: 8 }],
])("the header of %s %#", (mimeType, bytes, expected) => {
  expect(readImageHeader(bytes, mimeType)).toEqual(expected);
});

test("the header of a lossy WebP", () => {
  const webp = Buffer.alloc(30);
  webp.write("RIFF....WEBPVP8 ", "latin1");
  webp.writeUInt16LE(7, 26);
  webp.writeUInt16LE(5 | (1 << 14), 28);
  expect(readImageHeader(webp, "image/webp")).toEqual(still);
});

test.each([
  ["image/png", withPngChunk(makePng(7, 5), "eXIf", exif(3))],
  ["image/jpeg", withJpegExif(makeJpeg(7, 5), 6)],
  ["image/gif", makeGif(3)],
  ["image/webp", extendedWebp],
])("an %s cut at any byte, or with any byte changed, has a header or none", (mimeType, bytes) => {
  for (let at = 0; at < bytes.length; at++) {
    readImageHeader(bytes.subarray(0, at), mimeType);
    const changed = Buffer.from(bytes);
    for (const value of [0, 0x7f, 0xff]) {
      changed[at] = value;
      const header = readImageHeader(changed, mimeType);
      if (header) expect(Math.min(header.width, header.height)).toBeGreaterThan(0);
    }
  }
});

test.each([
  [
    { width: 1568, height: 733 },
    { width: 1568, height: 733 },
  ],
  [
    { width: 1568, height: 734 },
    { width: 1567, height: 733 },
  ],
  [
    { width: 4000, height: 3000 },
    { width: 1238, height: 928 },
  ],
  [
    { width: 100_000, height: 1 },
    { width: 1568, height: 1 },
  ],
  [
    { width: 1, height: 1 },
    { width: 1, height: 1 },
  ],
])("%o fits as %o", (size, expected) => {
  expect(fitInto(size, defaultImageLimits)).toEqual(expected);
});
