import type { AgentToolResult } from "@pikit/agent";
import type { AssistantMessage, Usage } from "@pikit/ai";
import { addUsage, usageOf } from "../../conversation/stats.ts";
import type { TodoPhase } from "../../protocol/data.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import type { AgentSessionEvent } from "../../session/events.ts";
import type { BashDetails } from "../../tools/bash/run.ts";
import type { DelegationEvent } from "../../tools/delegate/run.ts";
import { OutputLines } from "./output-lines.ts";
import type { ChatEvent, TokenCounts } from "./protocol.ts";
import { TaskPlan } from "./task-plan.ts";
import { addTokens, noTokens, toTokenCounts } from "./tokens.ts";

type SessionEventOf<T extends AgentSessionEvent["type"]> = Extract<AgentSessionEvent, { type: T }>;

/** A running tool call. */
interface RunningCall {
  toolName: string;
  startedMs: number;
  /** Sends `command_started`; undefined after that, and for other tools than bash. */
  sendCommandStart: (() => void) | undefined;
  /** The output of a command. */
  output: { stdout: OutputLines; stderr: OutputLines };
}

/** Converts the events of a session during one chat into events of the protocol, and collects the data of `done`. */
export class ChatView {
  readonly #send: (event: ChatEvent) => void;
  readonly #plan: TaskPlan;
  readonly #running = new Map<string, RunningCall>();
  #hasRun = false;
  #toolCalls = 0;
  #tokens: TokenCounts = noTokens;
  #response = "";
  #lastAnswer: AssistantMessage | undefined;

  constructor(session: AgentSession, send: (event: ChatEvent) => void) {
    this.#send = send;
    this.#plan = new TaskPlan(session.state().todoPhases);
  }

  /** Whether a turn has started; a command of an extension may do its work without the model. */
  get hasRun(): boolean {
    return this.#hasRun;
  }

  /** The last assistant message of this chat; undefined if there is none. */
  get lastAnswer(): AssistantMessage | undefined {
    return this.#lastAnswer;
  }

  /** The text of the last assistant message with text; empty if there is none. */
  get response(): string {
    return this.#response;
  }

  /** The number of tool calls. */
  get toolCalls(): number {
    return this.#toolCalls;
  }

  /** The token counts of all model calls of this chat. */
  get tokens(): TokenCounts {
    return this.#tokens;
  }

  handleEvent(event: AgentSessionEvent): void {
    switch (event.type) {
      case "turn_start":
        this.#hasRun = true;
        break;
      case "message_update":
        if (event.assistantMessageEvent.type !== "text_delta") break;
        this.#send({ event: "text_chunk", data: { text: event.assistantMessageEvent.delta } });
        break;
      case "message_end":
        if (event.message.role === "assistant") this.#endAnswer(event.message);
        else this.#countUsage(usageOf(event.message));
        break;
      case "tool_execution_start":
        this.#startCall(event);
        break;
      case "tool_execution_end":
        this.#endCall(event);
        break;
      case "auto_compaction_end":
        this.#countUsage(event.result?.usage);
        break;
      case "error":
        this.#sendError(event.error);
        break;
      case "extension_error":
        this.#sendError(`${event.extensionPath}: ${event.error}`);
        break;
      default:
        break; // the protocol has no events for the others
    }
  }

  /** Handles output of a running command. Output of the commands of sub-tasks is not sent, because their calls are not sent either. */
  handleOutput(toolCallId: string, stream: "stdout" | "stderr", chunk: string): void {
    const call = this.#running.get(toolCallId);
    if (call?.toolName !== "bash") return;
    sendCommandStart(call);
    call.output[stream].add(chunk);
  }

  /** Handles an event of a sub-task. Events of nested sub-tasks are not sent. */
  handleDelegation(toolCallId: string, event: DelegationEvent): void {
    if (this.#running.get(toolCallId)?.toolName === "delegate") this.#send(toSwarmEvent(event));
  }

  #sendError(message: string): void {
    this.#send({ event: "error", data: { message, code: "internal", ends_chat: false } });
  }

  #endAnswer(answer: AssistantMessage): void {
    this.#lastAnswer = answer;
    const isTrusted = answer.stopReason !== "error" && answer.stopReason !== "aborted";
    const text = answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    if (text.trim() !== "") this.#response = text;
    if (isTrusted && text !== "") this.#send({ event: "text", data: { text } });
    this.#countUsage(answer.usage, isTrusted);
    if (!isTrusted) return; // its tool calls are not executed
    for (const block of answer.content) {
      if (block.type !== "toolCall") continue;
      this.#toolCalls += 1;
      const data = { tool_call_id: block.id, name: block.name, arguments: JSON.stringify(block.arguments) };
      this.#send({ event: "tool_call", data });
    }
  }

  #startCall({ toolCallId, toolName, args }: SessionEventOf<"tool_execution_start">): void {
    const sendStart = () => this.#send({ event: "command_started", data: { command: String(args.command) } });
    const call: RunningCall = {
      toolName,
      startedMs: performance.now(),
      sendCommandStart: toolName === "bash" ? sendStart : undefined,
      output: { stdout: this.#outputLines("stdout"), stderr: this.#outputLines("stderr") },
    };
    this.#running.set(toolCallId, call);
    // A refused call starts and ends within one turn of the event loop; its command never runs.
    setImmediate(() => this.#running.get(toolCallId) === call && sendCommandStart(call));
  }

  #outputLines(stream: "stdout" | "stderr"): OutputLines {
    return new OutputLines((chunk) => this.#send({ event: "command_output", data: { stream, chunk } }));
  }

  #endCall({ toolCallId, toolName, result, isError }: SessionEventOf<"tool_execution_end">): void {
    const call = this.#running.get(toolCallId);
    this.#running.delete(toolCallId);
    if (call?.toolName === "bash") this.#endCommand(call, result.details as BashDetails | null);
    const data = { tool_call_id: toolCallId, name: toolName, result: textOf(result), is_error: isError };
    this.#send({ event: "tool_result", data });
    const phases = (result.details as { phases?: TodoPhase[] } | null)?.phases;
    if (toolName !== "todo" || isError || !Array.isArray(phases)) return;
    for (const event of this.#plan.update(phases)) this.#send(event);
  }

  /** @param details - null if the command was not started. */
  #endCommand(call: RunningCall, details: BashDetails | null): void {
    if (details) sendCommandStart(call);
    if (call.sendCommandStart) return;
    call.output.stdout.end();
    call.output.stderr.end();
    const exitCode = details?.exitCode ?? null;
    const duration = Math.round(performance.now() - call.startedMs);
    this.#send({
      event: "command_finished",
      data: { success: exitCode === 0 && details?.outcome === "exited", exit_code: exitCode, duration_ms: duration },
    });
  }

  /** @param isAnswer - A complete answer: its usage is sent even if the provider reports no tokens. */
  #countUsage(usage: unknown, isAnswer = false): void {
    const tokens = toTokenCounts(addUsage(noUsage, usage));
    if (tokens.total_tokens === 0 && !isAnswer) return;
    this.#tokens = addTokens(this.#tokens, tokens);
    this.#send({ event: "llm_usage", data: tokens });
  }
}

const noCost: Usage["cost"] = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: noCost };

function sendCommandStart(call: RunningCall): void {
  call.sendCommandStart?.();
  call.sendCommandStart = undefined;
}

function textOf({ content }: AgentToolResult): string {
  return content.map((block) => (block.type === "text" ? block.text : `[an image, ${block.mimeType}]`)).join("\n");
}

function toSwarmEvent(event: DelegationEvent): ChatEvent {
  switch (event.type) {
    case "started":
      return { event: "swarm_started", data: { description: event.description } };
    case "progress":
      return { event: "swarm_progress", data: { status: event.status } };
    case "finished":
      return { event: "swarm_finished", data: { summary: event.summary } };
    case "failed":
      return { event: "swarm_failed", data: { message: event.message } };
  }
}
