/** The position of a caller in a distributed trace, as in the headers of the W3C recommendation "Trace Context". */
export interface TraceContext {
  /** Such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`. */
  traceparent: string;
  tracestate?: string | undefined;
}

/** Reads the fields of a record; undefined if they name no trace. */
export function toTraceContext(fields: unknown): TraceContext | undefined {
  const { traceparent, tracestate } = (fields ?? {}) as Record<string, unknown>;
  if (typeof traceparent !== "string") return undefined;
  return { traceparent, ...(typeof tracestate === "string" ? { tracestate } : {}) };
}
