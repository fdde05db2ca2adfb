import type { AgentMessage, KeptAttachment } from "@pikit/agent";
import type { ImageContent } from "@pikit/ai";
import type { EntryTreeNode, SessionEntry } from "../protocol/entries.ts";

/**
 * Restores the attachments of a message to what the sender sent. The data of attached images is stored only once, as the last images of the
 * content; clients get it in both places.
 *
 * @returns A copy if data was restored, otherwise the message itself.
 */
export function toSentMessage<M extends AgentMessage>(message: M): M {
  if (message.role !== "user" || !Array.isArray(message.attachments)) return message;
  const { attachments, content } = message;
  const kept = attachments.filter(isKeptInContent);
  if (kept.length === 0 || !Array.isArray(content)) return message;
  const images = content.filter((block): block is ImageContent => block?.type === "image").slice(-kept.length);
  // A session file of another program may have fewer images.
  if (images.length < kept.length) return message;
  let next = 0;
  const sent = attachments.map((attachment) =>
    isKeptInContent(attachment) ? { ...attachment, content: images[next++]?.data ?? "" } : attachment,
  );
  return { ...message, attachments: sent };
}

function isKeptInContent({ type, content }: KeptAttachment): boolean {
  return type === "image" && content === undefined;
}

/** Does the same for the message of an entry. */
export function toSentEntry(entry: SessionEntry): SessionEntry {
  if (entry.type !== "message") return entry;
  const message = toSentMessage(entry.message);
  return message === entry.message ? entry : { ...entry, message };
}

/** Does the same for all entries of a tree, in place. Not recursive, because the tree is as deep as the conversation is long. */
export function toSentTree(tree: EntryTreeNode[]): EntryTreeNode[] {
  const open = [...tree];
  for (let node = open.pop(); node; node = open.pop()) {
    node.entry = toSentEntry(node.entry);
    open.push(...node.children);
  }
  return tree;
}
