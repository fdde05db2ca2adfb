import { createScriptedModel, type ScriptedAnswer, type ToolResultMessage } from "@pikit/ai";
import { Agent, type AgentEvent, type AgentMessage, type AgentTool, ToolError } from "../../src/index.ts";
import { answerLabel, type Phase, type PlannedCall, resultLabel } from "./reference-agent.ts";
import { createEchoTool } from "./scripted-agent.ts";

/** An agent whose model, tools and retry decisions wait until the test lets them go on. */
export class GatedAgent {
  readonly agent: Agent;
  readonly events: AgentEvent[] = [];
  /** Lets the running tool of that call succeed or fail. */
  readonly tools = new Map<string, (outcome: "ok" | "failed") => void>();
  /** Every prompt that was accepted. */
  readonly runs: Promise<void>[] = [];
  #answer: ((answer: ScriptedAnswer) => void) | undefined;
  #decide: ((again: boolean) => void) | undefined;

  constructor() {
    this.agent = new Agent({
      model: createScriptedModel({ script: (_context, _index, signal) => this.#waitForAnswer(signal) }),
      tools: [this.#tool("parallel", "parallel"), this.#tool("sequential", "sequential"), this.#tool("stubborn", "parallel")],
      shouldRetry: (_failed, signal) => this.#waitForDecision(signal),
    });
    this.agent.subscribe((event) => void this.events.push(event));
  }

  /** What it waits for; undefined while something is on its way. */
  get phase(): Phase | undefined {
    if (!this.agent.isRunning) return "idle";
    if (this.#answer) return "asking";
    if (this.#decide) return "deciding";
    return this.tools.size > 0 ? "working" : undefined;
  }

  /** The transcript as the reference model writes it. */
  get transcript(): string[] {
    return this.agent.state.messages.map(toLabel);
  }

  answer(calls: readonly PlannedCall[], fails: boolean): void {
    this.#answer?.({
      ...(calls.length > 0 ? { toolCalls: calls.map(toScriptedCall) } : { text: "Some words" }),
      ...(fails ? { error: { status: 529, message: "busy" } } : {}),
    });
  }

  decide(again: boolean): void {
    this.#decide?.(again);
  }

  #waitForAnswer(signal: AbortSignal | undefined): Promise<ScriptedAnswer> {
    return new Promise((resolve, reject) => {
      const settle = (end: () => void) => {
        this.#answer = undefined;
        end();
      };
      this.#answer = (answer) => settle(() => resolve(answer));
      signal?.addEventListener("abort", () => settle(() => reject(signal.reason)), { once: true });
    });
  }

  #waitForDecision(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      this.#decide = (again) => {
        this.#decide = undefined;
        resolve(again);
      };
      // An owner that still wants to try again does not get to.
      signal.addEventListener("abort", () => this.#decide?.(true), { once: true });
    });
  }

  #tool(name: string, executionMode: "parallel" | "sequential"): AgentTool {
    return createEchoTool({
      name,
      executionMode,
      execute: (id, _params, signal) =>
        new Promise((resolve, reject) => {
          this.tools.set(id, (outcome) => {
            this.tools.delete(id);
            if (outcome === "ok") resolve({ content: [{ type: "text", text: "ok" }], details: id });
            else reject(new ToolError("failed", "failed", { details: id }));
          });
          if (name === "stubborn") return;
          signal.addEventListener("abort", () => {
            if (this.tools.delete(id)) reject(new ToolError("aborted", "stopped"));
          });
        }),
    });
  }
}

/** The text of a message that `user` made. */
export function textOf(message: AgentMessage): string {
  return message.role === "user" && typeof message.content === "string" ? message.content : message.role;
}

export function user(text: string): AgentMessage {
  return { role: "user", content: text, timestamp: 0 };
}

/** The call as a scripted model makes it. */
export function toScriptedCall({ id, kind }: PlannedCall) {
  const name = kind === "invalid" ? "parallel" : kind;
  return { id, name, arguments: kind === "invalid" ? { times: "many" } : { text: id } };
}

function toLabel(message: AgentMessage): string {
  if (message.role === "assistant") {
    return answerLabel(
      message.stopReason,
      message.content.filter((block) => block.type === "toolCall"),
    );
  }
  if (message.role === "toolResult") return resultLabel(message.toolCallId, outcomeOf(message));
  return textOf(message);
}

const outcomeStarts: readonly [start: string, outcome: string][] = [
  ["There is no tool named", "unknown"],
  ["Invalid arguments for", "invalid"],
  ["Skipped:", "skipped"],
  ["Not started:", "not started"],
];

function outcomeOf({ content: [block] }: ToolResultMessage): string {
  const text = block?.type === "text" ? block.text : "";
  return outcomeStarts.find(([start]) => text.startsWith(start))?.[1] ?? text;
}
