import { crc32 } from "node:zlib";
import photon, { type PhotonImage } from "@silvia-odwyer/photon-node";

export type Colour = readonly [red: number, green: number, blue: number, alpha?: number];

export const red: Colour = [255, 0, 0];
export const blue: Colour = [0, 0, 255];

/** @param colourAt - The colour of a pixel, counted from the top left. */
function makeImage(width: number, height: number, colourAt: (x: number, y: number) => Colour): PhotonImage {
  const data = new Uint8Array(width * height * 4);
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++, at += 4) {
      const [r, g, b, alpha = 255] = colourAt(x, y);
      data.set([r, g, b, alpha], at);
    }
  }
  return new photon.PhotonImage(data, width, height);
}

export function makePng(width: number, height: number, colourAt: (x: number, y: number) => Colour = () => red): Buffer {
  return Buffer.from(makeImage(width, height, colourAt).get_bytes());
}

export function makeJpeg(width: number, height: number, colourAt: (x: number, y: number) => Colour = () => red): Buffer {
  return Buffer.from(makeImage(width, height, colourAt).get_bytes_jpeg(95));
}

export function makeWebp(width: number, height: number, colourAt: (x: number, y: number) => Colour = () => red): Buffer {
  return Buffer.from(makeImage(width, height, colourAt).get_bytes_webp());
}

/** What an image shows at a place; channels that compression has changed a little are put right. */
export function colourAt(base64: string, x: number, y: number): number[] {
  const image = photon.PhotonImage.new_from_byteslice(Buffer.from(base64, "base64"));
  const at = (y * image.get_width() + x) * 4;
  return [...image.get_raw_pixels().subarray(at, at + 3)].map((channel) => Math.round(channel / 51) * 51);
}

export function sizeOf(base64: string): { width: number; height: number } {
  const image = photon.PhotonImage.new_from_byteslice(Buffer.from(base64, "base64"));
  return { width: image.get_width(), height: image.get_height() };
}

/** EXIF data with nothing but an orientation. */
export function exif(orientation: number, order: "II" | "MM" = "II"): Buffer {
  const data = Buffer.alloc(26);
  const isLittle = order === "II";
  const short = (value: number, at: number) => (isLittle ? data.writeUInt16LE(value, at) : data.writeUInt16BE(value, at));
  const long = (value: number, at: number) => (isLittle ? data.writeUInt32LE(value, at) : data.writeUInt32BE(value, at));
  data.write(order, 0, "latin1");
  short(42, 2);
  long(8, 4);
  short(1, 8);
  short(0x0112, 10);
  short(3, 12);
  long(1, 14);
  short(orientation, 18);
  return data;
}

/** The same JPEG with EXIF data after its first marker. */
export function withJpegExif(jpeg: Buffer, orientation: number, order?: "II" | "MM"): Buffer {
  const body = Buffer.concat([Buffer.from("Exif\0\0", "latin1"), exif(orientation, order)]);
  const head = Buffer.from([0xff, 0xe1, 0, 0]);
  head.writeUInt16BE(body.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, body, jpeg.subarray(2)]);
}

/** The same PNG with another chunk after its header. Decoders do not check the sums of chunks that they do not know. */
export function withPngChunk(png: Buffer, name: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(data.length, 0);
  head.write(name, 4, "latin1");
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(Buffer.concat([head.subarray(4), data])), 0);
  return Buffer.concat([png.subarray(0, 33), head, data, sum, png.subarray(33)]);
}

/** A PNG whose header promises this size. */
export function pngOfSize(width: number, height: number): Buffer {
  const png = Buffer.from(makePng(1, 1));
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29);
  return png;
}

/** A GIF of 1 × 1 pixel: a red frame, and a white one for each further frame. */
export function makeGif(frames: number): Buffer {
  const screen = "47494638396101000100800000ff0000ffffff";
  const control = "21f904000a000000";
  const frame = (pixel: string) => `${control}2c0000000001000100000202${pixel}0100`;
  const others = Array.from({ length: frames - 1 }, () => frame("4c"));
  return Buffer.from(`${screen}${frame("44")}${others.join("")}3b`, "hex");
}

/** An animated WebP of still ones. */
export function makeAnimatedWebp(frames: readonly Buffer[], width: number, height: number): Buffer {
  const chunk = (name: string, data: Buffer) => {
    const head = Buffer.alloc(8);
    head.write(name, 0, "latin1");
    head.writeUInt32LE(data.length, 4);
    return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
  };
  const extended = Buffer.alloc(10);
  extended[0] = 2;
  extended.writeUIntLE(width - 1, 4, 3);
  extended.writeUIntLE(height - 1, 7, 3);
  const frame = (webp: Buffer) => {
    const head = Buffer.alloc(16);
    head.writeUIntLE(width - 1, 6, 3);
    head.writeUIntLE(height - 1, 9, 3);
    head.writeUIntLE(100, 12, 3);
    return chunk("ANMF", Buffer.concat([head, webp.subarray(12)]));
  };
  const body = Buffer.concat([
    Buffer.from("WEBP", "latin1"),
    chunk("VP8X", extended),
    chunk("ANIM", Buffer.alloc(6)),
    ...frames.map(frame),
  ]);
  return chunk("RIFF", body);
}
