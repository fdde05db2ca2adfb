import type { AgentMessage } from "@pikit/agent";
import type { ImageContent, TextContent, ThinkingLevel, Usage } from "@pikit/ai";
import type { SessionHeader } from "../protocol/frames.ts";

/** Version of the session format that is written. */
export const sessionVersion = 3;

interface EntryBase {
  /** 8 hex digits, unique in the session. */
  id: string;
  /** The entry before it on its branch; null for a root. */
  parentId: string | null;
  /** ISO 8601. */
  timestamp: string;
}

/** What an entry says, without its place in the tree. */
export type EntryContent =
  | { type: "message"; message: AgentMessage; queueId?: string }
  | { type: "model_change"; provider: string; modelId: string }
  | { type: "thinking_level_change"; thinkingLevel: ThinkingLevel }
  | {
      type: "compaction";
      summary: string;
      firstKeptEntryId: string;
      tokensBefore: number;
      usage?: Usage;
      details?: unknown;
      fromHook?: boolean;
    }
  | { type: "branch_summary"; fromId: string; summary: string; details?: unknown; usage?: Usage; fromHook?: boolean }
  | { type: "custom"; customType: string; data?: unknown }
  | {
      type: "custom_message";
      customType: string;
      content: string | (TextContent | ImageContent)[];
      display: boolean;
      details?: unknown;
    }
  | { type: "label"; targetId: string; label?: string }
  | { type: "session_info"; name?: string };

/** A line of a session file after its header. Types that a newer program wrote are kept and have no effect. */
export type SessionEntry = EntryBase & EntryContent;

/** A conversation as it was read. */
export interface LoadedSession {
  header: SessionHeader;
  entries: SessionEntry[];
  /** Lines that could not be read, for people: what and where. */
  diagnostics: string[];
}

/** Whether an entry is worth a file: a session that has only been set up leaves none behind. */
export function carriesSomething(entry: EntryContent): boolean {
  return entry.type === "message" || entry.type === "session_info" || entry.type === "custom" || entry.type === "custom_message";
}
