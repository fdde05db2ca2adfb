import type { AgentMessage } from "@pikit/agent";
import type { AssistantMessage } from "@pikit/ai";
import { assistantMessage, userMessage } from "../helpers/messages.ts";

let time = 1_767_225_600_000;

function nextTime(): number {
  time += 1000;
  return time;
}

export function prompt(content: string): AgentMessage {
  return { ...userMessage(content), timestamp: nextTime() };
}

export function answer(content: AssistantMessage["content"], more: Partial<AssistantMessage> = {}): AssistantMessage {
  return assistantMessage("", { content, timestamp: nextTime(), ...more });
}

/** The frames of a message that comes complete. */
export function whole(message: AgentMessage): object[] {
  return [
    { type: "message_start", message },
    { type: "message_end", message },
  ];
}

/** The first frame of an answer that streams. */
export function start(message: AssistantMessage): object {
  return { type: "message_start", message: { ...message, content: [] } };
}

export function update(assistantMessageEvent: object): object {
  return { type: "message_update", assistantMessageEvent };
}

/** The frames of a text of a streaming answer, in pieces. */
export function textFrames(contentIndex: number, pieces: readonly string[]): object[] {
  return [
    update({ type: "text_start", contentIndex }),
    ...pieces.map((delta) => update({ type: "text_delta", contentIndex, delta })),
    update({ type: "text_end", contentIndex, content: pieces.join("") }),
  ];
}

export function end(message: AssistantMessage): object {
  return { type: "message_end", message };
}

/** The frames of a run around others. */
export function run(...frames: object[]): object[] {
  return [{ type: "agent_start" }, ...frames, { type: "agent_end", messages: [], willRetry: false }, { type: "agent_settled" }];
}
