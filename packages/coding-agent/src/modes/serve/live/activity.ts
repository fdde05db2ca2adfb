import type { AssistantMessage, Usage } from "@pikit/ai";
import { SnapshotBuilder } from "../../../protocol/snapshots.ts";
import { type DeltaUpdate, joinDeltas, newUsage, toDelta } from "../../../protocol/stream-records.ts";
import type { AgentSessionEvent } from "../../../session/events.ts";
import { toUnstarted } from "../../record-writer.ts";

type MessageUpdate = Extract<AgentSessionEvent, { type: "message_update" }>;
type ToolEvent = Extract<AgentSessionEvent, { type: "tool_execution_start" | "tool_execution_update" }>;

/** The answer that is being streamed: its beginning, and everything since, with consecutive deltas of one block joined. */
interface Answer {
  start: AssistantMessage;
  deltas: DeltaUpdate[];
  usage: Usage;
}

/**
 * Follows what is going on in a session: the answer that is being streamed, and the tool calls that run. Both are exactly as the events so far
 * tell it. The live message itself may be ahead of its events, and a client would get their text twice.
 */
export class Activity {
  #answer: Answer | undefined;
  /** The start and the latest update of each running call. */
  readonly #calls = new Map<string, ToolEvent[]>();

  onEvent(event: AgentSessionEvent): void {
    switch (event.type) {
      case "message_start":
        if (event.message.role !== "assistant") break;
        this.#begin(event.message);
        break;
      case "message_update":
        this.#add(event);
        break;
      case "message_end":
        if (event.message.role === "assistant") this.#answer = undefined;
        break;
      case "tool_execution_start":
        this.#calls.set(event.toolCallId, [event]);
        break;
      case "tool_execution_update":
        this.#calls.get(event.toolCallId)?.splice(1, 1, event);
        break;
      case "tool_execution_end":
        this.#calls.delete(event.toolCallId);
        break;
      case "agent_end":
        this.#answer = undefined;
        this.#calls.clear();
        break;
    }
  }

  /** The answer that is being streamed, complete so far; undefined if there is none. */
  get message(): AssistantMessage | undefined {
    if (!this.#answer) return undefined;
    const builder = new SnapshotBuilder(this.#answer.start);
    for (const delta of this.#answer.deltas) builder.apply(delta);
    return builder.message;
  }

  /** The events of the running calls. */
  get running(): ToolEvent[] {
    return [...this.#calls.values()].flat();
  }

  #begin(live: AssistantMessage): void {
    const start = toUnstarted(live);
    this.#answer = { start, deltas: [], usage: start.usage };
  }

  #add({ assistantMessageEvent: event }: MessageUpdate): void {
    const answer = this.#answer;
    if (!answer || event.type === "start" || event.type === "done" || event.type === "error") return;
    const usage = newUsage(event.partial.usage, answer.usage);
    answer.usage = event.partial.usage;
    const last = answer.deltas.at(-1);
    if (last && joinDeltas(last, event, usage)) return;
    answer.deltas.push(toDelta(event, usage));
  }
}
