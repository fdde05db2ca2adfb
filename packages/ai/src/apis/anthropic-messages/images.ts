import { readImageSize } from "../../image-size.ts";
import type { ImageContent, Message, TextContent } from "../../types.ts";

/** Maximum length of one image in base64 characters. */
const maxLength = 5 * 1024 * 1024;
/** Maximum side of an image in pixels. A request with more than `maxImagesOfThatSize` images has the lower one. */
const maxSide = 8000;
const maxImagesOfThatSize = 20;
const maxSideOfMany = 2000;

/** Replaces an image that the API would reject with a text note; returns every other block unchanged. */
export type ImageFilter = (block: TextContent | ImageContent) => TextContent | ImageContent;

/** Creates the filter for a conversation. One rejected image would fail this request and every later one. */
export function createImageFilter(messages: readonly Message[]): ImageFilter {
  const count = messages.reduce((sum, { content }) => sum + countImages(content), 0);
  const side = count > maxImagesOfThatSize ? maxSideOfMany : maxSide;
  return (block) => {
    const problem = block.type === "image" ? findProblem(block, side) : undefined;
    return problem === undefined ? block : { type: "text", text: `[An image was here, but ${problem}.]` };
  };
}

function countImages(content: Message["content"]): number {
  return typeof content === "string" ? 0 : content.filter((block) => block.type === "image").length;
}

function findProblem(image: ImageContent, side: number): string | undefined {
  if (image.data.length > maxLength) return "it is larger than the 5 MB that can be sent";
  const size = readImageSize(image.data);
  if (size && Math.max(size.width, size.height) > side) {
    return `its ${size.width} x ${size.height} pixels are more than the ${side} a side that can be sent`;
  }
  return undefined;
}
