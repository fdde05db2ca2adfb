import type { ToolCall, ToolResultMessage } from "@pikit/ai";
import type { AgentEvent, AgentMessage } from "../../src/index.ts";

type EventOf<T extends AgentEvent["type"]> = Extract<AgentEvent, { type: T }>;

/**
 * Checks the events of an agent that is idle against the grammar that `AgentEvent` states: pairs of starts and ends, rightly nested,
 * nothing outside of a run, one result for each call of an answer that may be trusted, in the order of the calls.
 *
 * @throws {Error} At the first event that does not fit.
 */
export function checkGrammar(events: readonly AgentEvent[]): void {
  const reader = new EventReader(events);
  while (!reader.isAtEnd) readRun(reader);
}

function readRun(reader: EventReader): void {
  reader.take("agent_start");
  const added: AgentMessage[] = [];
  do readTurn(reader, added);
  while (reader.next === "turn_start");
  const { messages, willRetry } = reader.take("agent_end");
  reader.require(isSame(messages, added) && !willRetry, "agent_end holds what the run added");
}

function readTurn(reader: EventReader, added: AgentMessage[]): void {
  reader.take("turn_start");
  let message = readMessage(reader, added);
  while (message.role === "user") message = readMessage(reader, added);
  reader.require(message.role === "assistant", "a turn has an answer");
  if (message.role !== "assistant") return;
  const isTrusted = message.stopReason !== "error" && message.stopReason !== "aborted";
  const calls = isTrusted ? message.content.filter((block) => block.type === "toolCall") : [];
  const outcomes = readExecution(reader, calls);
  const results: AgentMessage[] = [];
  for (const { id, name } of calls) {
    const result = readMessage(reader, results) as ToolResultMessage;
    const { content, details, isError } = result;
    reader.require(result.role === "toolResult" && result.toolCallId === id && result.toolName === name, `${id} has its result`);
    const told = outcomes.get(id);
    reader.require(told?.result.content === content && told.result.details === details, `the result of ${id} is the one told of`);
    reader.require(told?.isError === isError, `the result of ${id} fails as told`);
  }
  const end = reader.take("turn_end");
  reader.require(end.message === message, "turn_end holds the answer");
  reader.require(isSame(end.toolResults, results), "turn_end holds the results in the order of the calls");
  added.push(...results);
}

/** A message of any role, put into `added`. */
function readMessage(reader: EventReader, added: AgentMessage[]): AgentMessage {
  const { message } = reader.take("message_start");
  while (reader.next === "message_update") {
    reader.require(reader.take("message_update").message === message, "an update belongs to the open message");
    reader.require(message.role === "assistant", "only answers are updated");
  }
  reader.require(reader.take("message_end").message === message, "a message ends that has begun");
  added.push(message);
  return message;
}

/** Starts in the order of the calls, one end for each, updates between. */
function readExecution(reader: EventReader, calls: readonly ToolCall[]): Map<string, EventOf<"tool_execution_end">> {
  const waiting = calls.map(({ id }) => id);
  const running = new Set<string>();
  const ended = new Map<string, EventOf<"tool_execution_end">>();
  while (ended.size < calls.length) {
    if (reader.next === "tool_execution_start") {
      const { toolCallId } = reader.take("tool_execution_start");
      reader.require(toolCallId === waiting.shift(), "calls start in their order");
      running.add(toolCallId);
    } else if (reader.next === "tool_execution_update") {
      reader.require(running.has(reader.take("tool_execution_update").toolCallId), "only a running call is updated");
    } else {
      const end = reader.take("tool_execution_end");
      reader.require(running.delete(end.toolCallId), "a call ends that is running");
      ended.set(end.toolCallId, end);
    }
  }
  return ended;
}

function isSame(some: readonly unknown[], others: readonly unknown[]): boolean {
  return some.length === others.length && some.every((item, index) => item === others[index]);
}

class EventReader {
  readonly #events: readonly AgentEvent[];
  #position = 0;

  constructor(events: readonly AgentEvent[]) {
    this.#events = events;
  }

  get isAtEnd(): boolean {
    return this.#position === this.#events.length;
  }

  /** The type of the event that comes next. */
  get next(): AgentEvent["type"] | undefined {
    return this.#events[this.#position]?.type;
  }

  take<T extends AgentEvent["type"]>(type: T): EventOf<T> {
    this.require(this.next === type, `${type} comes next`);
    this.#position += 1;
    return this.#events[this.#position - 1] as EventOf<T>;
  }

  require(holds: boolean, rule: string): void {
    if (holds) return;
    const types = this.#events.map(({ type }, index) => (index === this.#position ? `>>> ${type}` : type));
    throw new Error(`Expected that ${rule}, at event ${this.#position} of:\n${types.join("\n")}`);
  }
}
