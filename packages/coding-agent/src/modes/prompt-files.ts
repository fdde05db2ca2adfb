import { basename } from "node:path";
import type { ImageContent } from "@pikit/ai";
import { detectFileKind, kindHeadBytes } from "../tools/files/file-kind.ts";

/** The content of a file that a prompt mentions. */
export interface PromptFile {
  /** For the prompt: the content of a text file between marks, or the facts about an image. */
  text: string;
  image?: ImageContent;
}

/**
 * Converts a file for the prompt.
 *
 * @param name - As the user typed it.
 * @returns undefined for a file that is neither text nor an image.
 * @throws The reason of the abort signal.
 */
export async function toPromptFile(name: string, bytes: Buffer, signal?: AbortSignal): Promise<PromptFile | undefined> {
  const found = detectFileKind(bytes.subarray(0, kindHeadBytes));
  if (found.kind === "image") {
    const { prepareImage } = await import("../tools/images/prepare-image.ts");
    const { image, description } = await prepareImage(bytes, signal ? { signal } : {});
    return { ...(image ? { image } : {}), text: `[image ${basename(name)}: ${description}]` };
  }
  if (found.kind === "binary") return undefined;
  const body = new TextDecoder(found.encoding).decode(bytes).replaceAll("</file>", "<\\/file>");
  return { text: `<file name=${JSON.stringify(name)}>\n${body}\n</file>` };
}
