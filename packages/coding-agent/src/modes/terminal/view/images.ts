import type { ImageContent } from "@pikit/ai";
import { formatSize } from "../../../tools/output/truncate.ts";
import { getCapabilities, getImageDimensions, type ImageDimensions, renderImage } from "../library.ts";
import { cutLine, toSafeLine } from "../lines.ts";
import type { Theme } from "../theme/theme.ts";

/** Maximum size of a shown image in cells. */
const maxColumns = 60;
const maxRows = 20;

/** Base64 characters that are read. The size is near the beginning of the file; in JPEG files it follows the metadata. */
const maxScannedLength = 4 * 65_536;

/** Names an image that is not shown: `[image 1: 640×480, 12.0 KB]`. */
export function imageLabel(image: ImageContent, number: number, name?: string): string {
  const size = readSize(image);
  const pixels = size ? `${size.widthPx}×${size.heightPx}` : toSafeLine(image.mimeType);
  const label = name === undefined ? `image ${number}` : toSafeLine(name);
  return `[${label}: ${pixels}, ${formatSize(Buffer.byteLength(image.data, "base64"))}]`;
}

/** The label of an image as a line. */
export function renderImageLabel(label: string, width: number, theme: Theme): string {
  return theme.dim(cutLine(label, width));
}

/**
 * The lines of an image, if the terminal can show it: empty lines, so that the screen scrolls and the rows of the image are free, and one more with
 * a sequence that draws the image over them and leaves the cursor where it was. That line is below the image, because the screen may erase the
 * rest of a line after it has written it. Print the lines once; never in a live region.
 *
 * @returns undefined if the terminal cannot show it.
 */
export function drawImage(image: ImageContent, width: number): string[] | undefined {
  const { images } = getCapabilities();
  // Kitty's protocol has PNG only. Source: its documentation, "Transferring pixel data".
  if (images === null || (images === "kitty" && image.mimeType !== "image/png")) return undefined;
  const size = readSize(image);
  if (!size) return undefined;
  const maxWidthCells = Math.min(width, maxColumns);
  const drawn = renderImage(image.data, size, { maxWidthCells, maxHeightCells: maxRows, moveCursor: false });
  if (!drawn) return undefined;
  const rows = Math.max(1, drawn.rows);
  return [...Array<string>(rows).fill(""), `\x1b7\x1b[${rows}A${drawn.sequence}\x1b8`];
}

function readSize({ data, mimeType }: ImageContent): ImageDimensions | undefined {
  return getImageDimensions(data.slice(0, maxScannedLength), mimeType) ?? undefined;
}
