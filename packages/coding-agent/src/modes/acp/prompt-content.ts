import { fileURLToPath } from "node:url";
import type { ImageContent } from "@pikit/ai";
import type { PromptInput } from "../../prompt/prompt-input.ts";
import { toCodeBlock } from "./code-block.ts";
import { errorCodes, RpcError } from "./json-rpc.ts";
import type { PromptPart } from "./protocol.ts";

/**
 * Converts a prompt. Its texts are joined as they are, because editors split a text at each mention; the contents of embedded files follow
 * at the end.
 *
 * @throws {RpcError} `invalidParams` for audio and for embedded binary files, which no model gets.
 */
export function toPromptInput(parts: readonly PromptPart[]): PromptInput {
  let text = "";
  const embedded: string[] = [];
  const images: ImageContent[] = [];
  for (const [index, part] of parts.entries()) {
    if (part.type === "text") text += part.text;
    else if (part.type === "image") images.push({ type: "image", data: part.data, mimeType: part.mimeType });
    else if (part.type === "resource_link") text += `@${toPath(part.uri)}`;
    else if (part.type === "audio") throw refusal(index, "audio, which is not supported. Send text");
    else if (part.resource.text !== undefined) {
      text += `@${toPath(part.resource.uri)}`;
      embedded.push(embed(part.resource.uri, part.resource.text));
    } else if (part.resource.blob !== undefined && part.resource.mimeType?.startsWith("image/")) {
      images.push({ type: "image", data: part.resource.blob, mimeType: part.resource.mimeType });
    } else throw refusal(index, "a resource that is neither text nor an image. Send a resource link, so that tools can read it");
  }
  const whole = [text, ...embedded].filter((each) => each !== "").join("\n\n");
  return { text: whole, ...(images.length > 0 ? { images } : {}) };
}

/** The path of a file, or another address as it is. */
function toPath(uri: string): string {
  if (!uri.startsWith("file://")) return uri;
  try {
    return fileURLToPath(uri);
  } catch {
    return uri; // of another machine
  }
}

function embed(uri: string, text: string): string {
  return `${toPath(uri)}\n${toCodeBlock(text)}`;
}

function refusal(index: number, what: string): RpcError {
  return new RpcError(errorCodes.invalidParams, `Field "prompt.${index}" is ${what}.`);
}
