import { type Context, createTraceState, ROOT_CONTEXT, type Span, TraceFlags, trace } from "@opentelemetry/api";
import type { TraceContext } from "@pikit/coding-agent";

const traceparentPattern = /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})(?:-|$)/;
/** Maximum characters of a `tracestate`; the recommendation asks for at least 512. */
const maxTraceState = 4096;

/** The context of a caller; undefined if there is none, or it is not valid. The format is that of the W3C recommendation "Trace Context". */
export function readTraceContext({ traceparent = "", tracestate }: Partial<TraceContext> = {}): Context | undefined {
  const [, traceId, spanId, flags = "00"] = traceparentPattern.exec(traceparent.trim()) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  return trace.setSpanContext(ROOT_CONTEXT, {
    ...{ traceId, spanId, isRemote: true },
    traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED,
    ...(tracestate && tracestate.length <= maxTraceState ? { traceState: createTraceState(tracestate) } : {}),
  });
}

/** The fields that hand a span on to a called program; empty if the span belongs to no trace. */
export function writeTraceContext(span: Span): Record<string, string> {
  const spanContext = span.spanContext();
  if (!trace.isSpanContextValid(spanContext)) return {};
  const { traceId, spanId, traceFlags, traceState } = spanContext;
  const tracestate = traceState?.serialize() ?? "";
  return {
    traceparent: `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, "0")}`,
    ...(tracestate === "" ? {} : { tracestate }),
  };
}

/** The same as variables of the environment. An inherited `TRACESTATE` belongs to another span, so it is always replaced. */
export function toVariables(fields: Record<string, string>): Record<string, string> {
  const { traceparent, tracestate = "" } = fields;
  return traceparent === undefined ? {} : { TRACEPARENT: traceparent, TRACESTATE: tracestate };
}
