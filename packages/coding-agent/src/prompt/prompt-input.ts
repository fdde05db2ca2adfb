import type { Attachment, KeptAttachment, UserMessageWithAttachments } from "@pikit/agent";
import { checkImage, type ImageContent, type TextContent } from "@pikit/ai";
import { SessionError } from "../errors.ts";

/** The input of the user. */
export interface PromptInput {
  text: string;
  /** Images and documents. */
  attachments?: readonly Attachment[] | undefined;
  images?: readonly ImageContent[] | undefined;
}

/**
 * Creates the message to store and send. Text alone becomes a string. Otherwise the content is the text, a block for each document, and the
 * images, `images` first.
 *
 * @throws {SessionError} `invalid_input` for an empty message, an invalid image, or a document that is not text; the message names the field.
 */
export function createUserMessage({ text, attachments = [], images = [] }: PromptInput): UserMessageWithAttachments {
  if (text.trim() === "" && attachments.length === 0 && images.length === 0) {
    throw new SessionError("invalid_input", "The message is empty. Send text, an image or a document.");
  }
  const timestamp = Date.now();
  if (attachments.length === 0 && images.length === 0) return { role: "user", content: text, timestamp };
  const documents = attachments.filter(({ type }) => type === "document").map(readDocument);
  const ownImages = images.map((image, index) => requireImage(image, `images.${index}.data`));
  const attachedImages = attachments.flatMap(({ type, content, mimeType }, index) =>
    type === "image" ? [requireImage({ type, data: content, mimeType }, `attachments.${index}.content`)] : [],
  );
  const prompt: TextContent[] = text === "" ? [] : [{ type: "text", text }];
  return {
    role: "user",
    content: [...prompt, ...documents, ...ownImages, ...attachedImages],
    timestamp,
    ...(attachments.length > 0 ? { attachments: attachments.map(withoutRepeatedImage) } : {}),
  };
}

function requireImage(image: ImageContent, field: string): ImageContent {
  const found = checkImage(image);
  if ("image" in found) return found.image;
  throw new SessionError("invalid_input", `Field "${field}" must be an image in base64, but ${found.problem}.`);
}

function readDocument(document: Attachment): TextContent {
  const text = document.extractedText ?? decodeText(document);
  return { type: "text", text: `${document.fileName}\n${text}` };
}

function decodeText({ fileName, mimeType, content }: Attachment): string {
  const bytes = Buffer.from(content, "base64");
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // not UTF-8: refused below
  }
  throw new SessionError(
    "invalid_input",
    `The attachment "${fileName}" (${mimeType}) is neither an image nor text. Send it with extractedText.`,
  );
}

/** Removes the data of an image, because the message's content already has it. */
function withoutRepeatedImage(attachment: Attachment): KeptAttachment {
  if (attachment.type !== "image") return attachment;
  const { content: _content, ...rest } = attachment;
  return rest;
}
