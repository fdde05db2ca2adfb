import { createServer } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { runCli } from "../../../coding-agent/test/helpers/cli.ts";
import { useWorkspace } from "../../../coding-agent/test/helpers/workspace.ts";
import { startCollector, treeOf } from "../helpers/collector.ts";
import { install } from "../helpers/installed.ts";

const workspace = useWorkspace();
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";

async function runScript(env: NodeJS.ProcessEnv) {
  const script = [
    { toolCalls: [{ name: "bash", arguments: { command: "echo $TRACEPARENT > seen; echo secret-output" } }] },
    { text: "Done." },
  ];
  return runCli(workspace, ["-p", "--model", await workspace.script(...script), "secret-prompt"], { env });
}

test.each([
  ["http/protobuf", "application/x-protobuf"],
  ["http/json", "application/json"],
])(
  "pi sends traces and metrics over %s, in the trace of its caller, with the variables of OpenTelemetry",
  async (protocol, type) => {
    await install(workspace);
    const collector = await startCollector();
    const result = await runScript({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
      OTEL_EXPORTER_OTLP_HEADERS: "x-key=abc",
      OTEL_SERVICE_NAME: "ci",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test",
      TRACEPARENT: `00-${traceId}-00f067aa0ba902b7-01`,
    });
    expect(result).toEqual({ stdout: "Done.\n", stderr: "", exitCode: 0 });
    const { spans, points, requests } = collector;
    const tree = treeOf(spans).map((line) => line.replace(/\/.*/, "…"));
    expect(tree).toEqual(["invoke_agent pi", "  chat …", "  chat …", "  execute_tool bash", "    shell"]);
    const [run] = spans.filter(({ name }) => name === "invoke_agent pi");
    expect(run).toMatchObject({
      ...{ traceId, parentSpanId: "00f067aa0ba902b7" },
      resource: { "service.name": "ci", "service.version": expect.any(String), "deployment.environment": "test" },
    });
    expect(points.map(({ metric }) => metric)).toContain("gen_ai.client.token.usage");
    expect(new Set(requests.map((request) => request.path))).toEqual(new Set(["/v1/traces", "/v1/metrics"]));
    for (const request of requests) expect(request).toMatchObject({ type, headers: { "x-key": "abc" } });
    expect(JSON.stringify([spans, points])).not.toContain("secret");
  },
);

test("content is sent if the variable of the conventions asks for it, and only spans if metrics are off", async () => {
  await install(workspace);
  const collector = await startCollector();
  await runScript({
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/v1/traces`,
    OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "true",
  });
  expect(JSON.stringify(collector.spans)).toContain("secret-prompt");
  expect(collector.requests.map(({ path }) => path)).toEqual(["/v1/traces"]);
});

test.each([
  ["a trace is not sampled", { OTEL_TRACES_SAMPLER: "always_off", OTEL_METRICS_EXPORTER: "none" }],
  ["OpenTelemetry is switched off", { OTEL_SDK_DISABLED: "true" }],
])("nothing is sent if %s", async (_name, env) => {
  await install(workspace);
  const collector = await startCollector();
  const result = await runScript({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...env });
  expect(result).toEqual({ stdout: "Done.\n", stderr: "", exitCode: 0 });
  expect(collector.requests).toEqual([]);
});

test("a package that is not installed is one sentence, and the run goes on", async () => {
  const result = await runScript({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" });
  expect(result).toMatchObject({ stdout: "Done.\n", exitCode: 0 });
  expect(result.stderr).toBe(
    "The environment asks for traces (OTEL_EXPORTER_OTLP_…), but the package @pikit/otel is not installed. " +
      `Run: npm install --prefix ${workspace.agentDir} @pikit/otel, or set OTEL_SDK_DISABLED=true\n`,
  );
});

test("a configuration that is not supported is one sentence for each kind of data", async () => {
  await install(workspace);
  const result = await runScript({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1", OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" });
  expect(result).toMatchObject({ stdout: "Done.\n", exitCode: 0 });
  const reason =
    'OTEL_EXPORTER_OTLP_PROTOCOL is "grpc", which pi does not support: expected http/protobuf or http/json, which collectors take on port 4318.';
  expect(result.stderr).toBe(`${reason} No traces are sent.\n${reason} No metrics are sent.\n`);
});

test("a collector that never answers is one sentence, and the run ends all the same", async () => {
  await install(workspace);
  const silent = createServer().listen(0, "127.0.0.1");
  onTestFinished(() => void silent.close());
  await new Promise((resolve) => silent.once("listening", resolve));
  const { port } = silent.address() as { port: number };
  const result = await runScript({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` });
  expect(result).toMatchObject({ stdout: "Done.\n", exitCode: 0 });
  expect(result.stderr).toBe(
    "Traces and metrics cannot be sent to the collector (OTEL_EXPORTER_OTLP_…): it took longer than 900 ms. The session continues without them.\n",
  );
});
