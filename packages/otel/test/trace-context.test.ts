import { trace } from "@opentelemetry/api";
import { expect, test } from "vitest";
import { readTraceContext, writeTraceContext } from "../src/trace-context.ts";

const id = "4bf92f3577b34da6a3ce929d0e0e4736";

function roundTrip(traceparent: string, tracestate?: string): Record<string, string> | undefined {
  const context = readTraceContext({ traceparent, tracestate });
  const span = context && trace.getSpan(context);
  return span && writeTraceContext(span);
}

test("a trace context is read and written; flags that are not known are dropped", () => {
  expect(roundTrip(`00-${id}-00f067aa0ba902b7-01`, "a=1,b=2")).toEqual({
    traceparent: `00-${id}-00f067aa0ba902b7-01`,
    tracestate: "a=1,b=2",
  });
  expect(roundTrip(`00-${id}-00f067aa0ba902b7-00`)).toEqual({ traceparent: `00-${id}-00f067aa0ba902b7-00` });
  expect(roundTrip(` cc-${id}-00f067aa0ba902b7-ff-what-comes-later `)).toEqual({
    traceparent: `00-${id}-00f067aa0ba902b7-01`,
  });
});

test.each([
  "",
  "nonsense",
  `ff-${id}-00f067aa0ba902b7-01`,
  `00-${"0".repeat(32)}-00f067aa0ba902b7-01`,
  `00-${id}-${"0".repeat(16)}-01`,
  `00-${id}-00f067aa0ba902b7-01x`,
  `00-${id.toUpperCase()}-00f067aa0ba902b7-01`,
])("%j is no trace context", (traceparent) => {
  expect(roundTrip(traceparent)).toBeUndefined();
});
