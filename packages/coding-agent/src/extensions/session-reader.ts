import { dirname } from "node:path";
import type { AgentMessage } from "@pikit/agent";
import { readBranch } from "../conversation/context.ts";
import type { Conversation } from "../conversation/conversation.ts";
import type { SessionEntry } from "../conversation/entries.ts";
import type { TreeNode } from "../conversation/session-tree.ts";
import type { EntryTreeNode } from "../protocol/entries.ts";
import type { SessionHeader } from "../protocol/frames.ts";
import type { ReadonlySessionManager } from "./api-context.ts";

/** Reads the entries of the current conversation of a session. */
export class SessionReader implements ReadonlySessionManager {
  readonly #current: () => Conversation;

  /** @param current - The current conversation, which changes when the session moves. */
  constructor(current: () => Conversation) {
    this.#current = current;
  }

  getCwd(): string {
    return this.getHeader().cwd;
  }

  getSessionDir(): string {
    const { path } = this.#current();
    return path === null ? "" : dirname(path);
  }

  getSessionId(): string {
    return this.getHeader().id;
  }

  getSessionFile(): string | undefined {
    return this.#current().path ?? undefined;
  }

  getSessionName(): string | undefined {
    return this.#current().name ?? undefined;
  }

  getHeader(): SessionHeader {
    return this.#current().header;
  }

  getLeafId(): string | null {
    return this.#current().leafId;
  }

  getLeafEntry(): SessionEntry | undefined {
    const { leafId } = this.#current();
    return leafId === null ? undefined : this.getEntry(leafId);
  }

  getEntry(id: string): SessionEntry | undefined {
    const node = this.#current().find(id);
    return node && this.#read([node])[0];
  }

  getLabel(id: string): string | undefined {
    return this.#current().labels.get(id)?.label;
  }

  getChildren(parentId: string): SessionEntry[] {
    return this.#read(this.#current().nodes.filter((node) => node.parentId === parentId));
  }

  getBranch(fromId?: string): SessionEntry[] {
    const current = this.#current();
    return this.#read(current.pathTo(fromId ?? current.leafId));
  }

  getEntries(): SessionEntry[] {
    return this.#read(this.#current().nodes);
  }

  getTree(): EntryTreeNode[] {
    const { labels } = this.#current();
    const roots: EntryTreeNode[] = [];
    const made = new Map<string, EntryTreeNode>();
    for (const entry of this.getEntries()) {
      const label = labels.get(entry.id);
      const labelFields = label === undefined ? {} : { label: label.label, labelTimestamp: label.timestamp };
      const node: EntryTreeNode = { entry, children: [], ...labelFields };
      made.set(entry.id, node);
      const parent = entry.parentId === null ? undefined : made.get(entry.parentId);
      (parent?.children ?? roots).push(node);
    }
    return roots;
  }

  buildContextEntries(): SessionEntry[] {
    const branch = this.getBranch();
    const compactionIndex = branch.findLastIndex(({ type }) => type === "compaction");
    const compaction = branch[compactionIndex];
    if (compaction?.type !== "compaction") return branch;
    const keptIndex = branch.findIndex(({ id }) => id === compaction.firstKeptEntryId);
    const kept = keptIndex >= 0 && keptIndex < compactionIndex ? branch.slice(keptIndex, compactionIndex) : [];
    return [compaction, ...kept, ...branch.slice(compactionIndex + 1)];
  }

  buildSessionContext(): { messages: AgentMessage[]; thinkingLevel: string; model: { provider: string; modelId: string } | null } {
    const { messages, thinkingLevel = "off", model = null } = readBranch(this.getBranch());
    return { messages, thinkingLevel, model };
  }

  #read(nodes: readonly TreeNode[]): SessionEntry[] {
    return this.#current().readNow(nodes);
  }
}
