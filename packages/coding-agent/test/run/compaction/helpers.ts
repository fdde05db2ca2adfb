import { isDeepStrictEqual } from "node:util";
import { Agent, type AgentEvent, type AgentMessage, type AgentTool } from "@pikit/agent";
import { type AssistantMessage, type Context, createScriptedModel, emptyUsage, type Model, type ScriptedAnswer } from "@pikit/ai";
import { Type } from "@sinclair/typebox";
import { entersContext, readBranch } from "../../../src/conversation/context.ts";
import type { EntryContent, SessionEntry } from "../../../src/conversation/entries.ts";
import { toModelMessages } from "../../../src/conversation/messages.ts";
import type { AutoRetryEvent, CompactionEvent } from "../../../src/protocol/events.ts";
import { AutoRetry } from "../../../src/run/auto-retry.ts";
import { Compactor, type CompactorOptions } from "../../../src/run/compaction/compactor.ts";
import type { CompactionSettings } from "../../../src/run/compaction/policy.ts";
import { assistantMessage, toolResult, userMessage } from "../../helpers/messages.ts";

/** A text of about so many tokens that says what it is. */
export function textOfTokens(tokens: number, name = "text"): string {
  return `${name} `.padEnd(4 * tokens, "x");
}

export function user(tokens: number, name = "user"): AgentMessage {
  return userMessage(textOfTokens(tokens, name));
}

export function answer(tokens: number, overrides: Partial<AssistantMessage> = {}): AssistantMessage {
  return assistantMessage(textOfTokens(tokens, "answer"), overrides);
}

/** An answer that calls tools, and their results. */
export function work(tokens: number, ...calls: { id: string; name?: string; path?: string; isError?: boolean }[]): AgentMessage[] {
  const content = calls.map(({ id, name = "bash", path }) => ({
    type: "toolCall" as const,
    id,
    name,
    arguments: path === undefined ? {} : { path },
  }));
  const results = calls.map(({ id, name = "bash", isError = false }) => ({
    ...toolResult(id, textOfTokens(tokens, `result ${id}`)),
    toolName: name,
    isError,
  }));
  return [assistantMessage("", { content, stopReason: "toolUse" }), ...results];
}

export function usageOf(totalTokens: number): AssistantMessage["usage"] {
  return { ...emptyUsage(), input: totalTokens, totalTokens };
}

/** The entries of a path, one after another. */
export function path(...contents: (AgentMessage | Exclude<EntryContent, { type: "message" }>)[]): SessionEntry[] {
  const entries: SessionEntry[] = [];
  for (const content of contents) add(entries, "role" in content ? { type: "message", message: content } : content);
  return entries;
}

/** Appends an entry; ids are `e1`, `e2` … */
export function add(entries: SessionEntry[], content: EntryContent, id = `e${entries.length + 1}`): void {
  const parentId = entries.at(-1)?.id ?? null;
  entries.push({ ...content, id, parentId, timestamp: new Date().toISOString() });
}

/** An agent with a compactor, wired as a session wires them, and a conversation in memory. */
export interface Compacted {
  agent: Agent;
  compactor: Compactor;
  entries: SessionEntry[];
  events: (AgentEvent | CompactionEvent | AutoRetryEvent | { type: "agent_settled" })[];
  /** What the model was asked for summaries. */
  summaryRequests: Context[];
  /** What it was asked otherwise. */
  requests: Context[];
  prompt(text: string, signal?: AbortSignal): Promise<void>;
}

export interface CompactedOptions {
  /** Answers to everything but summaries. */
  answers?: readonly ScriptedAnswer[] | ((context: Context, index: number) => ScriptedAnswer);
  /** Default: "Summary 1", "Summary 2" … */
  summaries?: (context: Context, index: number, signal?: AbortSignal) => ScriptedAnswer | Promise<ScriptedAnswer>;
  settings?: Partial<CompactionSettings>;
  model?: Partial<Omit<Model, "api">>;
  tools?: AgentTool[];
  entries?: SessionEntry[];
  append?: CompactorOptions["append"];
}

export function createCompacted(options: CompactedOptions = {}): Compacted {
  const { answers = [], summaries = (_context: Context, index: number) => ({ text: `Summary ${index + 1}` }) } = options;
  const entries = options.entries ?? [];
  const requests: Context[] = [];
  const summaryRequests: Context[] = [];
  const model = createScriptedModel({
    script: (context, _index, signal) => {
      const copy = structuredClone({ ...context, tools: [] });
      if (context.systemPrompt?.startsWith("You write the memory")) {
        summaryRequests.push({ ...copy, ...(context.tools ? { tools: context.tools } : {}) });
        return summaries(context, summaryRequests.length - 1, signal);
      }
      requests.push(copy);
      const index = requests.length - 1;
      return typeof answers === "function" ? answers(context, index) : (answers[index] ?? { text: `Answer ${index + 1}` });
    },
    overrides: { contextWindow: 10_000, maxTokens: 5000, ...options.model },
  });
  const events: Compacted["events"] = [];
  const emit = (event: Compacted["events"][number]) => void events.push(event);
  const agent: Agent = new Agent({
    model,
    tools: options.tools ?? [],
    messages: messagesIn(entries),
    toModelMessages,
    shouldRetry: async (failed, signal) => (await retry.shouldRetry(failed, signal)) || compactor.recover(failed, signal),
    betweenTurns: async (turn, signal) => {
      if (turn.toolResults.length > 0 || agent.queuedCount > 0) await compactor.betweenTurns(signal);
      return undefined;
    },
  });
  const retry = new AutoRetry({ enabled: true, maxRetries: 2, baseDelayMs: 1 }, emit);
  const compactor = new Compactor({
    settings: { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000, ...options.settings },
    state: agent.state,
    readBranch: () => entries,
    nextInContext(entryId) {
      const start = entries.findIndex(({ id }) => id === entryId) + 1;
      return entries.slice(start).find(({ type }) => entersContext(type))?.id;
    },
    newEntryId: () => `e${entries.length + 1}`,
    append: options.append ?? (async (entry, id) => add(entries, entry, id)),
    requestOptions: () => ({}),
    retry: new AutoRetry({ enabled: true, maxRetries: 2, baseDelayMs: 1 }, emit),
    emit,
  });
  agent.subscribe((event) => {
    emit(event);
    if (event.type === "message_end" && !entries.some((entry) => entry.type === "message" && entry.message === event.message)) {
      add(entries, { type: "message", message: event.message });
    }
  });
  return {
    agent,
    compactor,
    entries,
    events,
    requests,
    summaryRequests,
    async prompt(text, signal = new AbortController().signal) {
      const message = userMessage(text);
      add(entries, { type: "message", message });
      await compactor.beforeRun([message], signal);
      await agent.prompt(message);
      await compactor.afterRun(signal);
      emit({ type: "agent_settled" });
    },
  };
}

/** The context of entries, the newest compaction applied. */
function messagesIn(entries: readonly SessionEntry[]): AgentMessage[] {
  return readBranch(entries).messages;
}

/** Whether an event tells under its second name of the compaction of which the event before it has just told. */
export function isEcho(event: { type: string }, before: { type: string } | undefined): boolean {
  return before?.type === `auto_${event.type}` && isDeepStrictEqual({ ...before, type: event.type }, event);
}

/** What happened, a line each; the second names of compactions, updates and starts of messages are left out. */
export function outline(events: Compacted["events"]): string[] {
  return events.flatMap((event, index) => {
    if (isEcho(event, events[index - 1])) return [];
    switch (event.type) {
      case "message_end":
        return [event.message.role + ("stopReason" in event.message ? ` ${event.message.stopReason}` : "")];
      case "auto_compaction_start":
      case "compaction_start":
        return [`${event.type} ${event.reason}`];
      case "auto_compaction_end":
      case "compaction_end": {
        const how = event.result ? "done" : event.aborted ? "aborted" : `failed: ${event.errorMessage}`;
        return [`${event.type} ${event.reason} ${how}${event.willRetry ? ", will retry" : ""}`];
      }
      case "auto_retry_start":
      case "auto_retry_end":
      case "agent_start":
      case "agent_end":
      case "agent_settled":
      case "turn_start":
        return [event.type];
      default:
        return [];
    }
  });
}

/** A tool that answers with a text of so many tokens. */
export function createBulkTool(tokens: number): AgentTool {
  return {
    name: "bulk",
    label: "Bulk",
    description: "Gives much.",
    parameters: Type.Object({}),
    execute: async () => ({ content: [{ type: "text", text: textOfTokens(tokens, "bulk") }], details: null }),
  };
}

/** The text of a context's message. */
export function textAt(context: Context | undefined, index: number): string {
  const content = context?.messages.at(index)?.content;
  if (typeof content === "string") return content;
  return (content ?? []).map((block) => ("text" in block ? block.text : `(${block.type})`)).join("\n");
}
