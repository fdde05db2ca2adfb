// Runs in its own thread, one per image: decoding blocks for a second, and WebAssembly never frees its memory.
import { parentPort, workerData } from "node:worker_threads";
import photon, { type PhotonImage } from "@silvia-odwyer/photon-node";
import type { ImageHeader } from "./image-header.ts";
import { fitInto, type ImageLimits, type Size } from "./image-limits.ts";
import { applyOrientation, flatten, type Pixels } from "./pixels.ts";

export interface ImageJob {
  bytes: Uint8Array;
  mimeType: string;
  header: ImageHeader;
  limits: ImageLimits;
}

export type ImageJobResult =
  | { outcome: "unchanged" }
  | ({ outcome: "converted"; bytes: Uint8Array; mimeType: "image/png" | "image/jpeg" } & Size)
  | { outcome: "undecodable" }
  | { outcome: "too_large" };

const jpegQualities = [85, 70, 50];
/** The factor to the next smaller size if the file is still too large. */
const shrinkFactor = 0.7;
const minEdge = 64;

parentPort?.postMessage(convert(workerData as ImageJob));

function convert(job: ImageJob): ImageJobResult {
  const decoded = decode(job.bytes);
  if (!decoded) return { outcome: "undecodable" };
  if (isAcceptable(job)) return { outcome: "unchanged" };
  let size = fitInto({ width: decoded.get_width(), height: decoded.get_height() }, job.limits);
  for (;;) {
    const image = applyOrientation(toPixels(decoded, size), job.header.orientation);
    const encoded = encode(image, job);
    if (encoded) return { outcome: "converted", ...encoded, width: image.width, height: image.height };
    if (Math.max(size.width, size.height) < minEdge) return { outcome: "too_large" };
    size = fitInto(size, { ...job.limits, maxEdge: Math.floor(Math.max(size.width, size.height) * shrinkFactor) });
  }
}

function decode(bytes: Uint8Array): PhotonImage | undefined {
  try {
    return photon.PhotonImage.new_from_byteslice(bytes);
  } catch {
    // The decoder panics on invalid data, without a useful message.
    return undefined;
  }
}

/** Whether all providers accept the file unchanged. Google does not accept GIF. */
function isAcceptable({ bytes, mimeType, header, limits }: ImageJob): boolean {
  const { width, height } = fitInto(header, limits);
  if (width !== header.width || height !== header.height) return false;
  return mimeType !== "image/gif" && header.orientation === 1 && !header.isAnimated && isWithinBytes(bytes, limits);
}

function toPixels(image: PhotonImage, { width, height }: Size): Pixels {
  const isSame = width === image.get_width() && height === image.get_height();
  const resized = isSame ? image : photon.resize(image, width, height, photon.SamplingFilter.CatmullRom);
  return { width, height, data: resized.get_raw_pixels() };
}

/** Encodes JPEG images as JPEG, and others as PNG, or as JPEG if the PNG is too large. */
function encode(
  image: Pixels,
  { mimeType, limits }: ImageJob,
): { bytes: Uint8Array; mimeType: "image/png" | "image/jpeg" } | undefined {
  if (mimeType !== "image/jpeg") {
    const bytes = toPhoton(image).get_bytes();
    if (isWithinBytes(bytes, limits)) return { bytes, mimeType: "image/png" };
  }
  const opaque = toPhoton(flatten(image));
  for (const quality of jpegQualities) {
    const bytes = opaque.get_bytes_jpeg(quality);
    if (isWithinBytes(bytes, limits)) return { bytes, mimeType: "image/jpeg" };
  }
  return undefined;
}

function toPhoton({ data, width, height }: Pixels): PhotonImage {
  return new photon.PhotonImage(data, width, height);
}

function isWithinBytes(bytes: Uint8Array, { maxBase64 }: ImageLimits): boolean {
  return Math.ceil(bytes.length / 3) * 4 <= maxBase64;
}
