import type { Attachment } from "@pikit/agent";
import { imageTypes } from "../../render/parts.ts";
import { randomId } from "../wire/random-id.ts";

/** Maximum bytes: an image may have 20 Mi characters as base64. */
const maxImageBytes = 15 * 1024 * 1024;
const maxTextBytes = 2 * 1024 * 1024;
/** Maximum attachments of a prompt. */
export const maxAttachments = 20;

/** Says why a file cannot be attached; undefined if it can. */
export function refuseFile({ name, type, size }: Pick<File, "name" | "type" | "size">): string | undefined {
  const isImage = imageTypes.has(type);
  const limit = isImage ? maxImageBytes : maxTextBytes;
  if (size > limit) return `${name} is too large: it has ${toMegabytes(size)} MB, the limit is ${toMegabytes(limit)} MB.`;
  const isOtherMedia = /^(?:image|audio|video|font)\//.test(type) && type !== "image/svg+xml";
  const isBinary = type === "application/pdf" || type === "application/zip" || type === "application/octet-stream";
  if (!isImage && (isOtherMedia || isBinary)) return `${name} is neither text nor a PNG, JPEG, GIF or WebP image.`;
  return undefined;
}

/** Makes an attachment of a file. @param content - Its bytes as base64. */
export function toAttachment({ name, type, size }: Pick<File, "name" | "type" | "size">, content: string): Attachment {
  const isImage = imageTypes.has(type);
  const fileName = name === "" ? (isImage ? "image" : "file") : name;
  return {
    id: randomId(),
    type: isImage ? "image" : "document",
    fileName,
    mimeType: type === "" ? "text/plain" : type,
    size,
    content,
  };
}

function toMegabytes(bytes: number): string {
  return (bytes / 1024 / 1024).toFixed(1);
}
