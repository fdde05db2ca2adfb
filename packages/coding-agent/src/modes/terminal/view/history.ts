import type { AgentMessage, AgentToolResult } from "@pikit/agent";
import type { AssistantMessage, ToolResultMessage } from "@pikit/ai";
import { isAbortNote } from "../../../conversation/messages.ts";
import type { BashExecutionMessage } from "../../../protocol/messages.ts";
import { toWorkNote } from "../../person-notes.ts";
import type { Block } from "../block.ts";
import { count } from "../lines.ts";
import { AnswerView, type ViewOptions } from "./answer-view.ts";
import { customBlock, lineBlock, summaryBlock, userBlock } from "./message-blocks.ts";
import { OutcomeBlock } from "./outcome-block.ts";
import { ShellBlock } from "./shell-block.ts";

/** The number of messages that are shown, and the length of their answers in UTF-16 units, because long answers take time. */
const shownMessages = 100;
const shownLength = 100_000;

/** The blocks of the last messages, after one line about the earlier ones. The time depends only on the messages that are shown. */
export function historyBlocks(messages: readonly AgentMessage[], options: ViewOptions): Block[] {
  let first = messages.length;
  for (let length = 0; first > 0 && messages.length - first < shownMessages && length < shownLength; first--) {
    length += answerLength(messages[first - 1]);
  }
  // A result without its call would be hard to understand.
  while (first > 0 && first < messages.length && messages[first]?.role === "toolResult") first += 1;
  const shown = messages.slice(first);
  const results = new Map<string, ToolResultMessage>();
  for (const message of shown) if (message.role === "toolResult") results.set(message.toolCallId, message);
  const blocks = first === 0 ? [] : [lineBlock(`${count(first, "earlier message")}`, options.theme)];
  for (const message of shown) blocks.push(...messageBlocks(message, results, options));
  return blocks;
}

function answerLength(message: AgentMessage | undefined): number {
  if (message?.role !== "assistant") return 0;
  return message.content.reduce((sum, block) => sum + (block.type === "text" ? block.text.length : 0), 0);
}

function messageBlocks(message: AgentMessage, results: ReadonlyMap<string, ToolResultMessage>, options: ViewOptions): Block[] {
  const { theme } = options;
  switch (message.role) {
    case "user":
      return [userBlock(message, options)];
    case "assistant":
      return answerBlocks(message, results, options);
    case "bashExecution":
      return [shellBlock(message, options)];
    case "custom": {
      const own = options.messageBlock?.(message);
      if (own) return [own];
      const text = toWorkNote({ type: "message_end", message });
      return text === undefined ? [] : [customBlock(text, theme)];
    }
    case "compactionSummary":
    case "branchSummary":
      return [summaryBlock(message, theme)];
    default:
      // Results are shown with their calls; roles of a newer program are not known.
      return [];
  }
}

function answerBlocks(message: AssistantMessage, results: ReadonlyMap<string, ToolResultMessage>, options: ViewOptions): Block[] {
  const view = new AnswerView(options);
  const { calls, added } = view.end(message);
  for (const [id, call] of calls) {
    const result = results.get(id);
    if (result) call.end(resultOf(result), result.isError);
  }
  view.abandon();
  if (message.stopReason !== "error" && message.stopReason !== "aborted") return added;
  const outcome = new OutcomeBlock(options.theme, options.now);
  if (message.stopReason === "aborted" || isAbortNote(message)) outcome.abort();
  else outcome.fail(message.errorMessage ?? "The answer failed.");
  outcome.end();
  return [...added, outcome];
}

/** The result in its message. */
export function resultOf({ content, details, display }: ToolResultMessage): AgentToolResult {
  return { content, details, ...(display ? { display } : {}) };
}

function shellBlock(message: BashExecutionMessage, { theme, now, showsToolOutput }: ViewOptions): Block {
  const isHidden = message.excludeFromContext === true;
  const block = new ShellBlock(message.command, { theme, now, isHidden, isFull: showsToolOutput });
  block.end(message);
  return block;
}
