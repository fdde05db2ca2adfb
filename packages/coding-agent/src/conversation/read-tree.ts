import type { EntryTreeNode } from "../protocol/entries.ts";
import type { Conversation } from "./conversation.ts";

/** Entries whose bodies are read at a time. */
const portion = 1024;

/**
 * All entries of a session as trees, oldest first; the depth is that of the longest branch. An entry whose parent is missing is a root,
 * and so is the first of a cycle.
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
  // An entry that comes before its parent in the file is the mark of a damaged one, and where every cycle has its first.
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
