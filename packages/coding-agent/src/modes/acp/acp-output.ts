import type { SessionUpdate } from "@agentclientprotocol/sdk";
import { encodeLine } from "../../protocol/jsonl.ts";
import { BatchedOutput } from "../batched-output.ts";
import type { ByteSink } from "../output-sink.ts";

interface Message {
  method?: string;
  params?: { sessionId?: string; update?: SessionUpdate };
}

/**
 * The only writer of stdout. While the reader is slow, consecutive chunks of an answer are joined, and a newer output of a running call
 * replaces an older one.
 */
export class AcpOutput extends BatchedOutput<object> {
  constructor(sink: ByteSink) {
    super(sink, { encode: encodeLine, join });
  }
}

/** One message for two consecutive ones; undefined if they must stay apart. */
function join(first: Message, second: Message): Message | undefined {
  const [before, now] = [first.params?.update, second.params?.update];
  if (!before || !now || first.params?.sessionId !== second.params?.sessionId) return undefined;
  const update =
    joinChunks(before, now) ?? (isOutput(before) && isOutput(now) && before.toolCallId === now.toolCallId ? now : undefined);
  return update && { ...second, params: { ...second.params, update } };
}

function joinChunks(before: SessionUpdate, now: SessionUpdate): SessionUpdate | undefined {
  if (before.sessionUpdate !== "agent_message_chunk" && before.sessionUpdate !== "agent_thought_chunk") return undefined;
  if (now.sessionUpdate !== before.sessionUpdate || now.messageId !== before.messageId) return undefined;
  if (before.content.type !== "text" || now.content.type !== "text") return undefined;
  return { ...now, content: { type: "text", text: before.content.text + now.content.text } };
}

/** Whether an update has only the output of a running call so far. */
function isOutput(update: SessionUpdate): update is Extract<SessionUpdate, { sessionUpdate: "tool_call_update" }> {
  return update.sessionUpdate === "tool_call_update" && Object.keys(update).sort().join() === "content,sessionUpdate,toolCallId";
}
