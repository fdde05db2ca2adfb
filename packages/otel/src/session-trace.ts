import { type Attributes, type Context, context, ROOT_CONTEXT, type Span, SpanKind, trace } from "@opentelemetry/api";
import type {
  AgentSessionEvent,
  CommandProbe,
  McpCallProbe,
  ModelCallProbe,
  ObservedCommand,
  ObservedMcpCall,
  ObservedModelCall,
  ObservedQuestion,
  ObservedSession,
  SessionInstrumentation,
  TraceContext,
} from "@pikit/coding-agent";
import { ModelCallSpan, setError, within } from "./model-call.ts";
import { names } from "./names.ts";
import { RunSpan } from "./run-span.ts";
import type { Settings } from "./settings.ts";
import { ToolCalls } from "./tool-calls.ts";
import { readTraceContext } from "./trace-context.ts";

type ObservedEvent = Parameters<NonNullable<SessionInstrumentation["event"]>>[0];
type CompactionEnd = Extract<AgentSessionEvent, { type: "compaction_end" }>;

/** Makes the spans and the metrics of one session. A run is one trace, or a part of the trace of its caller. */
export class SessionTrace implements SessionInstrumentation {
  readonly #settings: Settings;
  readonly #session: ObservedSession;
  /** The tool call that a sub-task belongs to; undefined for the session of a user. */
  readonly #caller: Context | undefined;
  readonly #tools: ToolCalls;
  #run: RunSpan | undefined;
  #compaction: { span: Span; context: Context } | undefined;
  /** The latest request of each purpose. */
  #calls: Partial<Record<ObservedModelCall["purpose"], ModelCallSpan>> = {};

  constructor(settings: Settings, session: ObservedSession, caller?: Context) {
    this.#settings = settings;
    this.#session = session;
    this.#caller = caller;
    this.#tools = new ToolCalls(settings);
  }

  runStarted({ trace: given }: { trace: TraceContext | undefined }): void {
    this.#endRun();
    const parent = this.#parentOfRuns(given);
    this.#run = new RunSpan(this.#settings, { conversation: this.#session.sessionId, parent, isTask: this.#caller !== undefined });
  }

  event(event: ObservedEvent): void {
    switch (event.type) {
      case "tool_execution_start":
        this.#run?.countToolCall();
        this.#tools.start(event, this.#session.sessionId, this.#parent());
        break;
      case "tool_execution_end":
        this.#tools.end(event);
        break;
      case "message_end":
        this.#run?.see(event.message);
        break;
      case "agent_settled":
        this.#endRun();
        break;
      case "compaction_start":
        this.#startCompaction(event.reason);
        break;
      case "compaction_end":
        this.#endCompaction(event);
        break;
      default:
        this.#noteEvent(event);
    }
  }

  /** Events without a duration are events of the run's span. */
  #noteEvent(event: ObservedEvent): void {
    const note = (name: string, attributes: Attributes) => this.#run?.span.addEvent(name, attributes);
    if (event.type === "auto_retry_start") {
      this.#settings.metrics.retries.add(1);
      note("pikit.retry", { attempt: event.attempt, max_attempts: event.maxAttempts, delay_ms: event.delayMs });
    } else if (event.type === "limit_reached") {
      this.#run?.reachLimit();
      note("pikit.limit_reached", { limit: event.limit, value: event.value });
    } else if (event.type === "ttsr_triggered") {
      note("pikit.rule_triggered", { rules: event.rules.map(({ name }) => name) });
    } else if (event.type === "extension_error") {
      note("pikit.extension_error", { extension: event.extensionPath, event: event.event });
    }
  }

  modelCall(call: ObservedModelCall): ModelCallProbe {
    const { purpose } = call;
    // A request that failed while it was prepared was never sent.
    this.#calls[purpose]?.abandon();
    const parent = (purpose === "summary" ? this.#compaction?.context : undefined) ?? this.#parent();
    const conversation = this.#session.sessionId;
    const made = new ModelCallSpan(this.#settings, { call, conversation, parent }, (answer) => {
      if (this.#calls[purpose] === made) delete this.#calls[purpose];
      if (answer) this.#run?.count(answer.usage, call.model);
    });
    this.#calls[purpose] = made;
    return made;
  }

  approval({ toolCallId, riskTier }: ObservedQuestion): (answer: string) => void {
    const { tracer, metrics } = this.#settings;
    const tier = riskTier === undefined ? {} : { [names.riskTier]: riskTier };
    const attributes = { ...tier, ...(toolCallId === undefined ? {} : { [names.toolCall]: toolCallId }) };
    const span = tracer.startSpan("pikit.approval", { kind: SpanKind.INTERNAL, attributes }, this.#parent());
    const startedAt = performance.now();
    return (answer) => {
      span.setAttribute(names.approvalAnswer, answer);
      span.end();
      metrics.approvalDuration.record((performance.now() - startedAt) / 1000, { ...tier, [names.approvalAnswer]: answer });
    };
  }

  command(command: ObservedCommand): CommandProbe {
    return this.#tools.command(command, this.#parent());
  }

  mcpCall(call: ObservedMcpCall): McpCallProbe | undefined {
    return this.#tools.mcpCall(call);
  }

  task({ toolCallId, session }: { toolCallId: string; session: ObservedSession }): SessionInstrumentation {
    return new SessionTrace(this.#settings, session, this.#tools.contextOf(toolCallId) ?? this.#parent());
  }

  disposed(): void {
    this.#endRun();
    this.#compaction?.span.end();
    this.#compaction = undefined;
  }

  /** The parent of what happens now. */
  #parent(): Context {
    return this.#run?.context ?? this.#parentOfRuns(undefined);
  }

  /** The trace of the prompt, else the active span of the program, else that of the process. */
  #parentOfRuns(given: TraceContext | undefined): Context {
    if (this.#caller) return this.#caller;
    const active = context.active();
    return readTraceContext(given) ?? (trace.getSpan(active) ? active : (this.#settings.parent ?? ROOT_CONTEXT));
  }

  #startCompaction(reason: string): void {
    const parent = this.#parent();
    const attributes = { [names.compactionReason]: reason, [names.conversation]: this.#session.sessionId };
    this.#settings.metrics.compactions.add(1, { [names.compactionReason]: reason });
    const span = this.#settings.tracer.startSpan("pikit.compaction", { kind: SpanKind.INTERNAL, attributes }, parent);
    this.#compaction = { span, context: within(span, parent) };
  }

  #endCompaction({ result, aborted, errorMessage }: CompactionEnd): void {
    const { span } = this.#compaction ?? {};
    this.#compaction = undefined;
    this.#calls.summary?.abandon();
    if (!span) return;
    if (result) span.setAttributes({ [names.tokensBefore]: result.tokensBefore, [names.tokensAfter]: result.estimatedTokensAfter });
    else span.setAttribute(names.errorType, aborted ? "aborted" : "_OTHER");
    if (!result && !aborted) setError(span, errorMessage);
    span.end();
  }

  #endRun(): void {
    this.#calls.answer?.abandon();
    this.#tools.endAll();
    this.#run?.end();
    this.#run = undefined;
  }
}
