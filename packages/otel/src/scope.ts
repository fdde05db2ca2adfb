/** The name of the tracer and of the meter. */
export const scopeName = "@pikit/otel";
