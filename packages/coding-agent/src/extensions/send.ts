import { isTooDeep, maxNesting } from "@pikit/ai";
import type { MessageContent, MessageInput, SendOptions, SendUserOptions } from "./api-messages.ts";
import type { SessionAccess } from "./session-access.ts";

/** @throws {TypeError} When the value is nested too deep to be stored. */
export function requireFlat(value: unknown, name: string): void {
  if (isTooDeep(value)) throw new TypeError(`The ${name} must not be nested more than ${maxNesting} levels deep.`);
}

/** See `ExtensionApi.sendMessage`. */
export async function sendMessage(
  session: SessionAccess,
  message: MessageInput,
  { deliverAs, triggerTurn }: SendOptions = {},
): Promise<void> {
  if (typeof message === "string") {
    const behavior = deliverAs === "steer" ? deliverAs : "followUp";
    return session.sendText({ text: message, images: [], behavior, isExpanded: true });
  }
  const { customType, content, display = true, details } = message;
  if (typeof customType !== "string") throw new TypeError('A message needs the field "customType", a string.');
  requireFlat(details, "details");
  const timestamp = Date.now();
  const stored = {
    role: "custom",
    customType,
    content,
    display,
    ...(details === undefined ? {} : { details }),
    timestamp,
  } as const;
  if (deliverAs === "nextTurn") return session.sendMessage(stored);
  const isOnlyAdded = triggerTurn === false && deliverAs === undefined;
  const behavior = !isOnlyAdded && (session.isStreaming || triggerTurn === true) ? (deliverAs ?? "steer") : undefined;
  await session.sendMessage(stored, behavior);
}

/** See `ExtensionApi.sendUserMessage`. */
export async function sendUserMessage(
  session: SessionAccess,
  content: MessageContent,
  { deliverAs, expandPromptTemplates = false }: SendUserOptions = {},
): Promise<void> {
  const blocks = typeof content === "string" ? [{ type: "text" as const, text: content }] : content;
  const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  const images = blocks.filter((block) => block.type === "image");
  await session.sendText({ text, images, behavior: deliverAs, isExpanded: expandPromptTemplates });
}
