import { expect, test } from "vitest";
import { isContentWanted } from "../src/content.ts";
import { chooseExport, readInterval } from "../src/exports.ts";

const endpoint = "http://localhost:4318";

test.each<[NodeJS.ProcessEnv, string | undefined, string | undefined]>([
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, "http/protobuf", undefined],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" }, "http/json", undefined],
  [{ OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: endpoint }, undefined, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: "none" }, undefined, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: "console" }, undefined, 'OTEL_TRACES_EXPORTER is "console"'],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: "localhost:4317" }, undefined, 'OTEL_EXPORTER_OTLP_ENDPOINT is "localhost:4317"'],
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: "grpc" },
    undefined,
    'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL is "grpc"',
  ],
])("with %j, traces are sent over %s", (env, protocol, problem) => {
  const problems: string[] = [];
  expect(chooseExport("TRACES", env, (line) => problems.push(line))).toBe(protocol);
  expect(problems).toEqual(problem === undefined ? [] : [expect.stringContaining(problem)]);
});

test("the interval of metrics has a default and a limit", () => {
  const read = (value: string) => readInterval({ OTEL_METRIC_EXPORT_INTERVAL: value });
  expect(["", "often", "-1", "500", "1e12"].map(read)).toEqual([60_000, 60_000, 60_000, 500, 2 ** 31 - 1]);
});

test("content is asked for with the values of the conventions", () => {
  const isWanted = (value: string) => isContentWanted({ OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: value });
  expect(["", "false", "no_content", "event_only", "true", "TRUE", "SPAN_ONLY", "span_and_event"].map(isWanted)).toEqual([
    ...[false, false, false, false],
    ...[true, true, true, true],
  ]);
});
