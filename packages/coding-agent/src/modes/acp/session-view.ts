import type { SessionUpdate, ToolCallUpdate } from "@agentclientprotocol/sdk";
import type { AgentToolResult } from "@pikit/agent";
import type { AssistantMessage, AssistantMessageEvent, ToolCall } from "@pikit/ai";
import type { TodoPhase } from "../../protocol/data.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import type { AgentSessionEvent } from "../../session/events.ts";
import type { ClientCapabilities } from "./protocol.ts";
import { contentOf, diffsOf, kindOf, toText, viewCall } from "./tool-view.ts";

/** A tool call that has not ended. */
interface OpenCall {
  toolName: string;
  /** Whether the result replaces the content: not if that shows a diff or a terminal. */
  keepsContent: boolean;
}

export interface ViewParts {
  session: AgentSession;
  capabilities: ClientCapabilities;
  send(update: SessionUpdate): void;
  /** Reads the text that a call of `write` would replace; null if there is none. */
  readOldText(path: string): Promise<string | null>;
}

/** Converts the events of a session into updates for the editor. */
export class SessionView {
  readonly #parts: ViewParts;
  readonly #calls = new Map<string, OpenCall>();
  /** The number of coming messages of the user that the editor shows itself. */
  #ownPrompts = 0;
  #messageId: string | undefined;
  #compactionId: string | undefined;

  constructor(parts: ViewParts) {
    this.#parts = parts;
  }

  /** Says that the editor has sent a prompt, which it shows itself. */
  expectPrompt(): void {
    this.#ownPrompts += 1;
  }

  /** Says that no further prompt of the editor is coming. */
  forgetPrompts(): void {
    this.#ownPrompts = 0;
  }

  /** Whether the editor has been told about this call. */
  hasCall(toolCallId: string): boolean {
    return this.#calls.has(toolCallId);
  }

  /** Shows the terminal in which a call runs, in place of its output. */
  showTerminal(toolCallId: string, terminalId: string): void {
    const call = this.#calls.get(toolCallId);
    if (!call) return;
    call.keepsContent = true;
    this.#update(toolCallId, { status: "in_progress", content: [{ type: "terminal", terminalId }] });
  }

  handleEvent(event: AgentSessionEvent): void | Promise<void> {
    switch (event.type) {
      case "message_start":
        this.#messageId = crypto.randomUUID();
        break;
      case "message_update":
        return this.#handleDelta(event.assistantMessageEvent, event.message);
      case "message_end":
        this.#endMessage(event.message);
        break;
      case "tool_execution_start":
        return this.#startCall(event.toolCallId, event.toolName, event.args);
      case "tool_execution_update":
        if (!this.#calls.get(event.toolCallId)?.keepsContent)
          this.#showOutput(event.toolCallId, event.toolName, event.partialResult);
        break;
      case "tool_execution_end":
        this.#endCall(event.toolCallId, event.toolName, event.result, event.isError);
        break;
      case "todo_auto_clear":
        this.#sendPlan([]);
        break;
      case "compaction_start":
        this.#startCompaction();
        break;
      case "compaction_end":
        this.#endCompaction(event);
        break;
      case "session_info_changed":
        this.#parts.send({ sessionUpdate: "session_info_update", title: event.name });
        break;
      default:
        this.#tellNotice(event);
    }
  }

  #handleDelta(event: AssistantMessageEvent, message: AssistantMessage): void | Promise<void> {
    if (event.type === "text_delta") this.#sendChunk("agent_message_chunk", event.delta);
    else if (event.type === "thinking_delta") this.#sendChunk("agent_thought_chunk", event.delta);
    else if (event.type === "toolcall_start") {
      const block = message.content[event.contentIndex];
      if (block?.type === "toolCall" && block.id !== "") this.#announceCall(block.id, block.name);
    } else if (event.type === "toolcall_end") return this.#describeCall(event.toolCall);
  }

  #sendChunk(sessionUpdate: "agent_message_chunk" | "agent_thought_chunk", text: string): void {
    const messageId = this.#messageId ?? null;
    if (text !== "") this.#parts.send({ sessionUpdate, content: { type: "text", text }, messageId });
  }

  #endMessage(message: Extract<AgentSessionEvent, { type: "message_end" }>["message"]): void {
    if (message.role === "user") this.#showPrompt(message.content);
    if (message.role !== "assistant") return;
    this.#sendUsage();
    // Calls of an answer that failed or was aborted are not run.
    if (message.stopReason !== "error" && message.stopReason !== "aborted") return;
    for (const block of message.content) if (block.type === "toolCall") this.#failCall(block.id);
  }

  /** Shows a message that the editor has not sent, such as one of an extension. */
  #showPrompt(content: string | readonly { type: string; text?: string }[]): void {
    if (this.#ownPrompts > 0) {
      this.#ownPrompts -= 1;
      return;
    }
    const text = typeof content === "string" ? content : content.map((block) => block.text ?? "").join("\n");
    if (text !== "") this.#parts.send({ sessionUpdate: "user_message_chunk", content: { type: "text", text } });
  }

  #announceCall(toolCallId: string, toolName: string): void {
    if (this.#calls.has(toolCallId)) return;
    this.#calls.set(toolCallId, { toolName, keepsContent: false });
    this.#parts.send({ sessionUpdate: "tool_call", toolCallId, title: toolName, kind: kindOf(toolName), status: "pending" });
  }

  /** Shows a complete call, with the changes that it would make, before it is approved. */
  async #describeCall({ id, name, arguments: args }: ToolCall): Promise<void> {
    this.#announceCall(id, name);
    const { session, readOldText } = this.#parts;
    const view = viewCall(name, args, session.cwd);
    const [location] = view.locations;
    const oldText = name === "write" && location ? await readOldText(location.path) : null;
    const content = diffsOf(name, args, session.cwd, oldText);
    const call = this.#calls.get(id);
    if (call && content.length > 0) call.keepsContent = true;
    this.#update(id, { ...view, rawInput: args, ...(content.length > 0 ? { content } : {}) });
  }

  async #startCall(toolCallId: string, toolName: string, args: Record<string, unknown>): Promise<void> {
    // A call of a provider that streams no calls.
    if (!this.#calls.has(toolCallId))
      await this.#describeCall({ type: "toolCall", id: toolCallId, name: toolName, arguments: args });
    this.#update(toolCallId, { status: "in_progress" });
  }

  #showOutput(toolCallId: string, toolName: string, result: AgentToolResult): void {
    this.#update(toolCallId, { content: contentOf(toolName, result) });
  }

  #endCall(toolCallId: string, toolName: string, result: AgentToolResult, isError: boolean): void {
    const call = this.#calls.get(toolCallId);
    this.#calls.delete(toolCallId);
    const content = isError || !call?.keepsContent ? { content: contentOf(toolName, result) } : {};
    const line = (result.details as { firstChangedLine?: unknown; path?: unknown } | null) ?? {};
    const isPlaced = typeof line.firstChangedLine === "number" && typeof line.path === "string";
    const locations = isPlaced ? { locations: [{ path: line.path as string, line: line.firstChangedLine as number }] } : {};
    this.#update(toolCallId, { status: isError ? "failed" : "completed", ...content, ...locations });
    if (toolName === "todo") this.#sendPlan(this.#parts.session.todos.phases);
  }

  #failCall(toolCallId: string): void {
    if (this.#calls.delete(toolCallId)) this.#update(toolCallId, { status: "failed", content: [toText("The call was not run.")] });
  }

  #update(toolCallId: string, fields: Omit<ToolCallUpdate, "toolCallId">): void {
    this.#parts.send({ sessionUpdate: "tool_call_update", toolCallId, ...fields });
  }

  #sendPlan(phases: readonly TodoPhase[]): void {
    this.#parts.send(toPlan(phases));
  }

  #sendUsage(): void {
    const usage = toUsage(this.#parts.session);
    if (usage) this.#parts.send(usage);
  }

  #startCompaction(): void {
    if (!this.#parts.capabilities.session?.compaction) return;
    this.#compactionId = crypto.randomUUID();
    this.#parts.send({ sessionUpdate: "compaction_update", compactionId: this.#compactionId, status: "in_progress" });
  }

  #endCompaction({ result, aborted, errorMessage }: Extract<AgentSessionEvent, { type: "compaction_end" }>): void {
    const compactionId = this.#compactionId;
    this.#compactionId = undefined;
    if (compactionId === undefined) return;
    const status = result ? "completed" : aborted ? "cancelled" : "failed";
    this.#parts.send({
      ...{ sessionUpdate: "compaction_update", compactionId, status },
      ...(result ? { summary: [{ type: "text", text: result.summary }] } : {}),
      ...(errorMessage === undefined ? {} : { error: errorMessage }),
    });
  }

  #tellNotice(event: AgentSessionEvent): void {
    const notice = toNotice(event);
    if (notice && this.#parts.capabilities.session?.notices) this.#parts.send({ sessionUpdate: "notice", ...notice });
  }
}

function toNotice(event: AgentSessionEvent): { severity: string; title: string; description?: string } | undefined {
  switch (event.type) {
    case "auto_retry_start": {
      const { attempt, maxAttempts, delayMs, errorMessage } = event;
      const title = `The model call is repeated in ${Math.ceil(delayMs / 1000)} seconds (${attempt} of ${maxAttempts})`;
      return { severity: "warning", title, description: errorMessage };
    }
    case "limit_reached":
      return { severity: "warning", title: `The run has reached a limit: ${event.limit} ${event.value}` };
    case "extension_error":
      return { severity: "error", title: `The extension ${event.extensionPath} has failed`, description: event.error };
    case "error":
      return { severity: "error", title: event.error };
    default:
      return undefined;
  }
}

/** The list of tasks as a plan. */
export function toPlan(phases: readonly TodoPhase[]): SessionUpdate {
  const entries = phases.flatMap(({ tasks }) =>
    tasks
      .filter(({ status }) => status !== "abandoned")
      .map(({ content, status }) => ({
        content,
        priority: "medium" as const,
        status: status as "pending" | "in_progress" | "completed",
      })),
  );
  return { sessionUpdate: "plan", entries };
}

/** The use of the context window, and the cost of the session; undefined while it is not known. */
export function toUsage(session: AgentSession): SessionUpdate | undefined {
  const usage = session.compaction.contextUsage;
  if (!usage || usage.tokens === null) return undefined;
  const { cost } = session.stats();
  return { sessionUpdate: "usage_update", used: usage.tokens, size: usage.contextWindow, cost: { amount: cost, currency: "USD" } };
}
