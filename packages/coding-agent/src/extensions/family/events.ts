import type { AgentMessage } from "@pikit/agent";
import type { ImageContent, Usage } from "@pikit/ai";
import type { SessionEntry } from "../../conversation/entries.ts";
import type { SystemPromptOptions } from "../api-context.ts";
import type { CustomMessageInput } from "../api-messages.ts";

type CompactionReason = "manual" | "threshold" | "overflow";

/** The plan of a compaction. */
export interface CompactionPreparation {
  firstKeptEntryId: string;
  messagesToSummarize: AgentMessage[];
  /** Always empty: `messagesToSummarize` has these messages, too. */
  turnPrefixMessages: AgentMessage[];
  isSplitTurn: boolean;
  tokensBefore: number;
  previousSummary?: string;
  fileOps: { read: Set<string>; written: Set<string>; edited: Set<string> };
  settings: { enabled: boolean; reserveTokens: number; keepRecentTokens: number };
}

/** The plan of a move to another branch. */
export interface TreePreparation {
  targetId: string;
  oldLeafId: string | null;
  commonAncestorId: string | null;
  /** The entries that the session leaves, oldest first. */
  entriesToSummarize: SessionEntry[];
  userWantsSummary: boolean;
}

/** The names of other programs of the family for events that exist under another name, with their fields and results. */
export interface FamilyEvents {
  /** `before_prompt`. */
  before_agent_start: {
    event: {
      type: "before_agent_start";
      prompt: string;
      images?: ImageContent[];
      systemPrompt: string;
      systemPromptOptions: SystemPromptOptions;
    };
    /** `message` is added after the prompt; `systemPrompt` applies to this run. */
    result: { message?: CustomMessageInput; systemPrompt?: string };
  };
  /** `session_switch` with the reason `new` or `switch`. */
  session_before_switch: {
    event: { type: "session_before_switch"; reason: "new" | "resume"; targetSessionFile?: string };
    result: { cancel?: boolean };
  };
  /** `session_switch` with the reason `fork` or `clone`. */
  session_before_fork: {
    event: { type: "session_before_fork"; entryId: string; position: "before" | "at" };
    result: { cancel?: boolean; skipConversationRestore?: boolean };
  };
  /** `session_switch` with the reason `branch`. */
  session_before_tree: {
    event: { type: "session_before_tree"; preparation: TreePreparation; signal: AbortSignal };
    /** `summary` is used instead of one of the model, if the user wants a summary. */
    result: { cancel?: boolean; summary?: { summary: string; details?: unknown } };
  };
  /** `before_compaction`. */
  session_before_compact: {
    event: {
      type: "session_before_compact";
      preparation: CompactionPreparation;
      branchEntries: SessionEntry[];
      customInstructions?: string;
      reason: CompactionReason;
      willRetry: boolean;
      signal: AbortSignal;
    };
    /** `compaction.summary` is used instead of one of the model. */
    result: { cancel?: boolean; compaction?: { summary: string; details?: unknown; usage?: Usage } };
  };
  /** `compaction_end` of a compaction that succeeded. */
  session_compact: {
    event: {
      type: "session_compact";
      compactionEntry: SessionEntry;
      fromExtension: boolean;
      reason: CompactionReason;
      willRetry: boolean;
    };
    result: undefined;
  };
  /** `compaction_end` of a compaction that failed or was aborted. */
  session_compact_failed: {
    event: {
      type: "session_compact_failed";
      reason: CompactionReason;
      errorMessage?: string;
      aborted: boolean;
      willRetry: boolean;
      fromExtension: boolean;
    };
    result: undefined;
  };
  /** The former name of `session_shutdown`. */
  shutdown: { event: { type: "shutdown"; reason: string }; result: undefined };
}
