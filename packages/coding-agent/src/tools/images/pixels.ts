import type { Orientation } from "./exif-orientation.ts";
import type { Size } from "./image-limits.ts";

/** Pixels row by row, 4 bytes each: red, green, blue, alpha. */
export interface Pixels extends Size {
  data: Uint8Array;
}

/** Rotates and mirrors an image so that it is upright. */
export function applyOrientation(image: Pixels, orientation: Orientation): Pixels {
  if (orientation === 1) return image;
  const { width, height } = image;
  const isSideways = orientation >= 5;
  const size = isSideways ? { width: height, height: width } : { width, height };
  const source = new Uint32Array(image.data.buffer, image.data.byteOffset, width * height);
  const target = new Uint32Array(width * height);
  for (let y = 0, at = 0; y < size.height; y++) {
    for (let x = 0; x < size.width; x++, at++) {
      const [column, row] = isSideways ? [y, x] : [x, y];
      const fromX = isMirroredX(orientation) ? width - 1 - column : column;
      const fromY = isMirroredY(orientation) ? height - 1 - row : row;
      target[at] = source[fromY * width + fromX] ?? 0;
    }
  }
  return { ...size, data: new Uint8Array(target.buffer) };
}

function isMirroredX(orientation: Orientation): boolean {
  return orientation === 2 || orientation === 3 || orientation === 7 || orientation === 8;
}

function isMirroredY(orientation: Orientation): boolean {
  return orientation === 3 || orientation === 4 || orientation === 6 || orientation === 7;
}

/** Draws an image on a white background, for formats without transparency. */
export function flatten({ width, height, data }: Pixels): Pixels {
  const opaque = new Uint8Array(data.length);
  for (let at = 0; at < data.length; at += 4) {
    const alpha = (data[at + 3] ?? 255) / 255;
    for (let channel = 0; channel < 3; channel++)
      opaque[at + channel] = Math.round((data[at + channel] ?? 0) * alpha + 255 * (1 - alpha));
    opaque[at + 3] = 255;
  }
  return { width, height, data: opaque };
}
