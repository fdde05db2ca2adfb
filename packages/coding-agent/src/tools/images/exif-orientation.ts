/**
 * The orientation of a stored image in EXIF. 1 is upright; 3, 6 and 8 need a clockwise rotation by 180, 90 and 270 degrees; 2, 4, 5 and 7 are
 * mirrored as well.
 */
export type Orientation = 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

const orientationTag = 0x0112;

/**
 * Reads the orientation from EXIF data. Invalid data counts as upright, as in image viewers.
 *
 * @param exif - A TIFF structure, with or without the `Exif\0\0` that JPEG puts before it.
 */
export function readOrientation(exif: Uint8Array): Orientation {
  const tiff = startsWith(exif, "Exif\0\0") ? exif.subarray(6) : exif;
  const isLittleEndian = startsWith(tiff, "II");
  if (!isLittleEndian && !startsWith(tiff, "MM")) return 1;
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  const short = (at: number) => (at + 2 <= view.byteLength ? view.getUint16(at, isLittleEndian) : 0);
  if (view.byteLength < 8) return 1;
  const directory = view.getUint32(4, isLittleEndian);
  const count = short(directory);
  for (let entry = directory + 2; entry < directory + 2 + count * 12 && entry < view.byteLength; entry += 12) {
    if (short(entry) !== orientationTag) continue;
    const value = short(entry + 8);
    return value >= 1 && value <= 8 ? (value as Orientation) : 1;
  }
  return 1;
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return Buffer.from(bytes.subarray(0, text.length)).toString("latin1") === text;
}
