import type { EntryTreeNode } from "../protocol/entries.ts";
import type { Conversation } from "./conversation.ts";

/** Number of entries that are read at a time. */
const portion = 1024;

/**
 * Reads all entries of a session as trees, oldest first. A tree is as deep as its longest branch. An entry with a missing parent is a root,
 * and so is the first entry of a cycle.
 */
export async function readTree(conversation: Conversation): Promise<EntryTreeNode[]> {
  const { nodes, labels } = conversation;
  const roots: EntryTreeNode[] = [];
  const byId = new Map<string, EntryTreeNode>();
  for (let start = 0; start < nodes.length; start += portion) {
    for (const entry of await conversation.read(nodes.slice(start, start + portion))) {
      const label = labels.get(entry.id);
      byId.set(entry.id, {
        entry,
        children: [],
        ...(label ? { label: label.label, labelTimestamp: label.timestamp } : {}),
      });
    }
  }
  // An entry before its own parent means that the file is damaged. It becomes a root, which breaks every cycle.
  for (const { id, parentId } of nodes) {
    const node = byId.get(id) as EntryTreeNode;
    const parent = parentId === null || !isBefore(conversation, parentId, id) ? undefined : byId.get(parentId);
    (parent?.children ?? roots).push(node);
  }
  return roots;
}

function isBefore(conversation: Conversation, parentId: string, id: string): boolean {
  const position = conversation.positionOf(parentId);
  return position >= 0 && position < conversation.positionOf(id);
}
