import type { AgentMessage } from "@pikit/agent";

/** The typed text of a user message, without documents and images; empty for other messages. */
export function typedTextOf(message: AgentMessage): string {
  if (message.role !== "user") return "";
  if (typeof message.content === "string") return message.content;
  const documents = message.attachments?.filter(({ type }) => type === "document") ?? [];
  const texts = message.content.filter((block) => block.type === "text");
  return texts.length > documents.length ? (texts[0]?.text ?? "") : "";
}
