import type { AgentMessage } from "@pikit/agent";
import type { ImageContent, Message, TextContent } from "@pikit/ai";
import type { BashExecutionMessage, BranchSummaryMessage, CompactionSummaryMessage, CustomMessage } from "../protocol/messages.ts";

declare module "@pikit/agent" {
  interface CustomMessages {
    bashExecution: BashExecutionMessage;
    custom: CustomMessage;
    branchSummary: BranchSummaryMessage;
    compactionSummary: CompactionSummaryMessage;
  }
}

/** Whether a message is an aborted answer without content: the run was aborted during tools or before the answer began. */
export function isAbortNote(message: AgentMessage): boolean {
  return message.role === "assistant" && message.stopReason === "aborted" && message.content.length === 0;
}

/** The converted messages of our own roles. A message that is converted again stays the same object: then a request reuses its bytes. */
const convertedMessages = new WeakMap<AgentMessage, Message>();

/** Converts the conversation for a model: our own roles become user messages, and messages excluded from the context are left out. */
export function toModelMessages(messages: readonly AgentMessage[]): Message[] {
  // One array of the right size: it is made for each turn, and grows with the conversation.
  const result = new Array<Message>(messages.length);
  let length = 0;
  for (const message of messages) {
    const converted = toModelMessage(message);
    if (converted) result[length++] = converted;
  }
  result.length = length;
  return result;
}

function toModelMessage(message: AgentMessage): Message | undefined {
  // Messages of the wire's own roles are most of them, and need no look-up.
  if (message.role === "assistant" || message.role === "toolResult") return message;
  if (message.role === "user" && message.attachments === undefined) return message;
  const known = convertedMessages.get(message);
  const converted = convert(message);
  if (!converted) return undefined;
  // A program may have changed the message in place.
  if (known && known.content === converted.content) return known;
  convertedMessages.set(message, converted);
  return converted;
}

/** Converts a message of a role that the wire does not have, or of one with fields that it does not have. */
function convert(message: AgentMessage): Message | undefined {
  switch (message.role) {
    case "user": {
      const { attachments: _attachments, ...plain } = message;
      return plain;
    }
    case "bashExecution":
      return message.excludeFromContext ? undefined : asUser(describeBash(message), message.timestamp);
    case "custom":
      return asUser(message.content, message.timestamp);
    case "branchSummary":
      return asUser(
        `The conversation went another way before and came back here. What happened there:\n\n${asSummary(message.summary)}`,
        message.timestamp,
      );
    case "compactionSummary":
      return asUser(
        `The earlier part of this conversation was replaced by a summary:\n\n${asSummary(message.summary)}`,
        message.timestamp,
      );
    default:
      // A role of a newer program: kept in the file, but not sent to a model.
      return undefined;
  }
}

function asUser(content: string | (TextContent | ImageContent)[], timestamp: number): Message {
  return { role: "user", content, timestamp };
}

function asSummary(summary: string): string {
  return `<summary>\n${summary.replaceAll("</summary>", "<\\/summary>")}\n</summary>`;
}

function describeBash({ command, output, exitCode, cancelled, truncated, fullOutputPath }: BashExecutionMessage): string {
  const notes: string[] = [];
  if (cancelled) notes.push("(cancelled)");
  else if (exitCode) notes.push(`Exit code ${exitCode}`);
  if (truncated) notes.push(`(output truncated${fullOutputPath ? `; all of it is in ${fullOutputPath}` : ""})`);
  const text = output.replace(/\n$/, "");
  const block = text === "" ? "(no output)" : `${fenceFor(text)}\n${text}\n${fenceFor(text)}`;
  return [`Ran \`${command}\``, block, ...notes].join("\n");
}

/** A fence longer than any run of backticks in the text, so that output cannot end its own block. */
function fenceFor(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  return "`".repeat(Math.max(3, longest + 1));
}
