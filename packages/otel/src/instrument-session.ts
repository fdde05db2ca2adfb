import { type Context, type MeterProvider, metrics, type TracerProvider, trace } from "@opentelemetry/api";
import type { SessionInstrumentation, TraceContext } from "@pikit/coding-agent";
import { Content, isContentWanted } from "./content.ts";
import { metricsOf } from "./metrics.ts";
import { scopeName } from "./scope.ts";
import { SessionTrace } from "./session-trace.ts";
import { readTraceContext } from "./trace-context.ts";

/** A session that can be observed, such as an `AgentSession`. */
export interface InstrumentableSession {
  readonly sessionId: string;
  instrument(instrumentation: SessionInstrumentation): () => void;
}

/** The options of `instrumentSession`. All have defaults. */
export interface InstrumentSessionOptions {
  /** Default: the global one of `@opentelemetry/api`. */
  tracerProvider?: TracerProvider;
  /** Default: the global one of `@opentelemetry/api`. */
  meterProvider?: MeterProvider;
  /**
   * Whether spans hold messages, instructions, arguments and results of tools, and commands. Default: whether
   * `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT` is `true`, `span_only` or `span_and_event`.
   */
  captureContent?: boolean;
  /** Maximum characters of one attribute with content. Default: 32,768. */
  maxContentLength?: number;
  /** The name of the agent in spans. Default: `pi`. */
  agentName?: string;
  agentVersion?: string;
  /** Whether requests to model providers get the headers `traceparent` and `tracestate`. Default true. */
  propagateToProviders?: boolean;
  /** The parent of runs whose prompt has no trace, and which no span of the program surrounds. Default: none; a run is then its own trace. */
  parent?: TraceContext | Context;
}

const defaultMaxContentLength = 32_768;

/**
 * Makes traces and metrics of a session, by the conventions of OpenTelemetry for generative AI. Each run is a tree of spans: `invoke_agent`, with
 * the model calls, tool calls, commands and sub-tasks in it. Commands, MCP servers and model providers get the trace context.
 *
 * @returns A function that ends the instrumentation. The end of the session does so too.
 * @throws {SessionError} `invalid_input` if the session is instrumented already.
 */
export function instrumentSession(session: InstrumentableSession, options: InstrumentSessionOptions = {}): () => void {
  const { tracerProvider = trace.getTracerProvider(), meterProvider = metrics.getMeterProvider() } = options;
  const { captureContent = isContentWanted(process.env), maxContentLength = defaultMaxContentLength, parent } = options;
  const observer = new SessionTrace(
    {
      tracer: tracerProvider.getTracer(scopeName),
      metrics: metricsOf(meterProvider),
      content: captureContent ? new Content(maxContentLength) : undefined,
      agentName: options.agentName ?? "pi",
      agentVersion: options.agentVersion,
      tracesProviders: options.propagateToProviders ?? true,
      parent: parent && "traceparent" in parent ? readTraceContext(parent) : parent,
    },
    session,
  );
  const remove = session.instrument(observer);
  return () => {
    observer.disposed();
    remove();
  };
}
