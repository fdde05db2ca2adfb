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

type Told<T extends AgentSessionEvent["type"]> = Extract<AgentSessionEvent, { type: T }>;

/** A tool call at work. */
interface RunningCall {
  toolName: string;
  startedMs: number;
  /** Tells that the command runs, once; undefined when that has been told, and for other tools. */
  tellCommand: (() => void) | undefined;
  /** What a command writes. */
  output: { stdout: OutputLines; stderr: OutputLines };
}

/** Turns what a session tells during one chat into events of the protocol, and keeps what `done` says. */
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

  /** Whether the model was to be asked; a command of an extension may do without. */
  get hasRun(): boolean {
    return this.#hasRun;
  }

  /** The last answer of this chat; undefined when there is none. */
  get lastAnswer(): AssistantMessage | undefined {
    return this.#lastAnswer;
  }

  /** The text of the last answer of this chat that has one. */
  get response(): string {
    return this.#response;
  }

  /** How often the agent has called a tool. */
  get toolCalls(): number {
    return this.#toolCalls;
  }

  /** What the model calls of this chat have used. */
  get tokens(): TokenCounts {
    return this.#tokens;
  }

  see(event: AgentSessionEvent): void {
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
        this.#tellError(event.error);
        break;
      case "extension_error":
        this.#tellError(`${event.extensionPath}: ${event.error}`);
        break;
      default:
        break; // the protocol has no word for the rest
    }
  }

  /** Output of a running command. That of commands of sub-tasks is not told: their calls are not either. */
  seeOutput(toolCallId: string, stream: "stdout" | "stderr", chunk: string): void {
    const call = this.#running.get(toolCallId);
    if (call?.toolName !== "bash") return;
    tellCommand(call);
    call.output[stream].add(chunk);
  }

  /** What happens to a sub-task. Those that sub-tasks begin are part of them. */
  seeDelegation(toolCallId: string, told: DelegationEvent): void {
    if (this.#running.get(toolCallId)?.toolName === "delegate") this.#send(toSwarmEvent(told));
  }

  #tellError(message: string): void {
    this.#send({ event: "error", data: { message, code: "internal", ends_chat: false } });
  }

  #endAnswer(answer: AssistantMessage): void {
    this.#lastAnswer = answer;
    const isTrusted = answer.stopReason !== "error" && answer.stopReason !== "aborted";
    const text = answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    if (text.trim() !== "") this.#response = text;
    if (isTrusted && text !== "") this.#send({ event: "text", data: { text } });
    this.#countUsage(answer.usage, isTrusted);
    if (!isTrusted) return; // its calls are not run
    for (const block of answer.content) {
      if (block.type !== "toolCall") continue;
      this.#toolCalls += 1;
      const data = { tool_call_id: block.id, name: block.name, arguments: JSON.stringify(block.arguments) };
      this.#send({ event: "tool_call", data });
    }
  }

  #startCall({ toolCallId, toolName, args }: Told<"tool_execution_start">): void {
    const tellStart = () => this.#send({ event: "command_started", data: { command: String(args.command) } });
    const call: RunningCall = {
      toolName,
      startedMs: performance.now(),
      tellCommand: toolName === "bash" ? tellStart : undefined,
      output: { stdout: this.#outputLines("stdout"), stderr: this.#outputLines("stderr") },
    };
    this.#running.set(toolCallId, call);
    // A call that was refused begins and ends within this turn of the loop, and nothing of it has run.
    setImmediate(() => this.#running.get(toolCallId) === call && tellCommand(call));
  }

  #outputLines(stream: "stdout" | "stderr"): OutputLines {
    return new OutputLines((chunk) => this.#send({ event: "command_output", data: { stream, chunk } }));
  }

  #endCall({ toolCallId, toolName, result, isError }: Told<"tool_execution_end">): void {
    const call = this.#running.get(toolCallId);
    this.#running.delete(toolCallId);
    if (call?.toolName === "bash") this.#endCommand(call, result.details as BashDetails | null);
    const data = { tool_call_id: toolCallId, name: toolName, result: textOf(result), is_error: isError };
    this.#send({ event: "tool_result", data });
    const phases = (result.details as { phases?: TodoPhase[] } | null)?.phases;
    if (toolName !== "todo" || isError || !Array.isArray(phases)) return;
    for (const event of this.#plan.update(phases)) this.#send(event);
  }

  /** @param details - null when it was never begun, or could not be. */
  #endCommand(call: RunningCall, details: BashDetails | null): void {
    if (details) tellCommand(call);
    if (call.tellCommand) return;
    call.output.stdout.end();
    call.output.stderr.end();
    const exitCode = details?.exitCode ?? null;
    const duration = Math.round(performance.now() - call.startedMs);
    this.#send({
      event: "command_finished",
      data: { success: exitCode === 0 && details?.outcome === "exited", exit_code: exitCode, duration_ms: duration },
    });
  }

  /** @param isAnswer - Told even when its provider does not count; what failed before it was answered has used nothing. */
  #countUsage(usage: unknown, isAnswer = false): void {
    const tokens = toTokenCounts(addUsage(noUsage, usage));
    if (tokens.total_tokens === 0 && !isAnswer) return;
    this.#tokens = addTokens(this.#tokens, tokens);
    this.#send({ event: "llm_usage", data: tokens });
  }
}

const noCost: Usage["cost"] = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: noCost };

function tellCommand(call: RunningCall): void {
  call.tellCommand?.();
  call.tellCommand = undefined;
}

function textOf({ content }: AgentToolResult): string {
  return content.map((block) => (block.type === "text" ? block.text : `[an image, ${block.mimeType}]`)).join("\n");
}

function toSwarmEvent(told: DelegationEvent): ChatEvent {
  switch (told.type) {
    case "started":
      return { event: "swarm_started", data: { description: told.description } };
    case "progress":
      return { event: "swarm_progress", data: { status: told.status } };
    case "finished":
      return { event: "swarm_finished", data: { summary: told.summary } };
    case "failed":
      return { event: "swarm_failed", data: { message: told.message } };
  }
}
