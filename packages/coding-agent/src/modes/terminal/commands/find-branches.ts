import type { EntryTreeNode } from "../../../protocol/entries.ts";

/** A message of the user in the tree of a conversation. */
export interface BranchMessage {
  entryId: string;
  text: string;
  /** The number of forks before it: messages of one branch have the same depth. */
  depth: number;
  /** The last entry of its answer: the place to which a user goes who chooses it. */
  endId: string;
}

/** Maximum depth that is shown: each level takes two cells. */
const maxDepth = 8;

interface Visit {
  node: EntryTreeNode;
  depth: number;
  /** The user message in whose answer the node is. */
  message: BranchMessage | undefined;
}

/**
 * The messages of the user in all branches, each branch below the message at which it begins, the oldest first.
 *
 * @param leafId - The latest entry of the active branch.
 * @param textOf - Returns the text of a message of the user; undefined for other entries.
 * @returns `currentId`: the last message of the active branch.
 */
export function findBranches(
  roots: readonly EntryTreeNode[],
  leafId: string | null,
  textOf: (node: EntryTreeNode) => string | undefined,
): { messages: BranchMessage[]; currentId: string | undefined } {
  const messages: BranchMessage[] = [];
  let currentId: string | undefined;
  // A stack, because a tree is as deep as the conversation is long. The last one is visited first.
  const stack: Visit[] = [...roots].reverse().map((node) => ({ node, depth: 0, message: undefined }));
  for (let visit = stack.pop(); visit; visit = stack.pop()) {
    const { node, depth } = visit;
    const { id } = node.entry;
    const text = textOf(node);
    let { message } = visit;
    if (text !== undefined) {
      message = { entryId: id, text, depth, endId: id };
      messages.push(message);
    } else if (message) message.endId = id;
    if (id === leafId) currentId = message?.entryId;
    const below = node.children.length > 1 ? Math.min(depth + 1, maxDepth) : depth;
    // Reversed twice: the oldest child is visited first, and the latest last, so that `endId` is of the latest answer.
    for (const child of [...node.children].reverse()) stack.push({ node: child, depth: below, message });
  }
  return { messages, currentId };
}
