import { readImageSize } from "../../image-size.ts";
import type { ImageContent, TextContent } from "../../types.ts";

/** Maximum length of one image in base64 characters. */
const maxLength = 5 * 1024 * 1024;
/** Maximum side of an image in pixels. A request with more than `maxImagesOfThatSize` images has the lower one. */
const maxSide = 8000;
const maxImagesOfThatSize = 20;
const maxSideOfMany = 2000;

/** Replaces an image that the API would reject with a text note; returns every other block unchanged. */
export type ImageFilter = (block: TextContent | ImageContent) => TextContent | ImageContent;

/** Whether a request has so many images that the lower limit applies to each of them. */
export function hasManyImages(images: number): boolean {
  return images > maxImagesOfThatSize;
}

/** Creates the filter for a conversation. One rejected image would fail this request and every later one. */
export function createImageFilter(isCrowded: boolean): ImageFilter {
  const side = isCrowded ? maxSideOfMany : maxSide;
  return (block) => {
    const problem = block.type === "image" ? findProblem(block, side) : undefined;
    return problem === undefined ? block : { type: "text", text: `[An image was here, but ${problem}.]` };
  };
}

function findProblem(image: ImageContent, side: number): string | undefined {
  if (image.data.length > maxLength) return "it is larger than the 5 MB that can be sent";
  const size = readImageSize(image.data);
  if (size && Math.max(size.width, size.height) > side) {
    return `its ${size.width} x ${size.height} pixels are more than the ${side} a side that can be sent`;
  }
  return undefined;
}
