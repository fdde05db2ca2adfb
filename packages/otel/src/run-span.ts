import { type Attributes, type Context, type Span, SpanKind } from "@opentelemetry/api";
import type { AgentSession, ObservedModelCall } from "@pikit/coding-agent";
import { setError, within } from "./model-call.ts";
import { names, providerNameOf } from "./names.ts";
import type { Settings } from "./settings.ts";

type AgentMessage = AgentSession["messages"][number];
type Usage = Extract<AgentMessage, { role: "assistant" }>["usage"];

/** The span of one run: `invoke_agent <agent>`. */
export class RunSpan {
  readonly span: Span;
  /** The context of its children. */
  readonly context: Context;
  readonly #settings: Settings;
  readonly #startedAt = performance.now();
  #labels: Attributes;
  #outcome = "completed";
  #errorMessage: string | undefined;
  #turns = 0;
  #toolCalls = 0;
  #used = { input: 0, output: 0, cost: 0 };

  constructor(settings: Settings, { conversation, parent, isTask }: { conversation: string; parent: Context; isTask: boolean }) {
    const { tracer, agentName, agentVersion } = settings;
    const agent = isTask ? "task" : agentName;
    this.#settings = settings;
    this.#labels = { [names.operation]: "invoke_agent", [names.agent]: agent };
    const attributes = {
      ...this.#labels,
      [names.conversation]: conversation,
      ...(agentVersion === undefined ? {} : { [names.agentVersion]: agentVersion }),
    };
    this.span = tracer.startSpan(`invoke_agent ${agent}`, { kind: SpanKind.INTERNAL, attributes }, parent);
    this.context = within(this.span, parent);
  }

  /** Adds a message. The outcome of the run is that of its last answer. */
  see(message: AgentMessage): void {
    const { content } = this.#settings;
    if (message.role === "user" && this.#turns === 0 && content) {
      this.span.setAttribute(names.inputMessages, content.messages([message]));
    }
    if (message.role !== "assistant") return;
    const { stopReason, errorMessage } = message;
    this.#turns += 1;
    this.#outcome = stopReason === "error" || stopReason === "aborted" ? stopReason : "completed";
    this.#errorMessage = errorMessage;
    if (content) this.span.setAttribute(names.outputMessages, content.messages([message], stopReason));
  }

  /** Adds the usage of a request, also of one for a summary. */
  count(usage: Usage, model: ObservedModelCall["model"]): void {
    this.#used.input += usage.input + usage.cacheRead + usage.cacheWrite;
    this.#used.output += usage.output;
    this.#used.cost += usage.cost.total;
    this.#labels = { ...this.#labels, [names.provider]: providerNameOf(model.provider), [names.requestModel]: model.id };
  }

  countToolCall(): void {
    this.#toolCalls += 1;
  }

  reachLimit(): void {
    this.#outcome = "limit";
  }

  end(): void {
    const isError = this.#outcome === "error";
    const labels = { ...this.#labels, ...(isError ? { [names.errorType]: "_OTHER" } : {}) };
    this.span.setAttributes({
      ...labels,
      [names.outcome]: this.#outcome,
      [names.inputTokens]: this.#used.input,
      [names.outputTokens]: this.#used.output,
      [names.cost]: this.#used.cost,
      [names.turns]: this.#turns,
      [names.toolCalls]: this.#toolCalls,
    });
    if (isError) setError(this.span, this.#errorMessage);
    this.span.end();
    this.#settings.metrics.runDuration.record((performance.now() - this.#startedAt) / 1000, labels);
  }
}
