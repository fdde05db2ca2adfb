import { until } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { begin, call } from "../../../coding-agent/test/helpers/http-client.ts";
import { startRpc } from "../../../coding-agent/test/helpers/rpc-process.ts";
import { startServe } from "../../../coding-agent/test/helpers/serve.ts";
import { useWorkspace } from "../../../coding-agent/test/helpers/workspace.ts";
import { startEditor } from "../../../coding-agent/test/modes/acp/editor.ts";
import { type Collector, startCollector } from "../helpers/collector.ts";
import { install } from "../helpers/installed.ts";

const workspace = useWorkspace();
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const trace = { traceparent: `00-${traceId}-00f067aa0ba902b7-01`, tracestate: "vendor=1" };

async function prepare() {
  await install(workspace);
  const collector = await startCollector();
  const model = await workspace.script({ text: "Hello" });
  return { collector, model, env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "50" } };
}

async function expectCaller({ spans }: Collector): Promise<void> {
  await until("the span of the run has arrived", () => spans.some(({ name }) => name === "invoke_agent pi"));
  expect(spans.find(({ name }) => name === "invoke_agent pi")).toMatchObject({ traceId, parentSpanId: "00f067aa0ba902b7" });
}

test("a prompt of RPC mode names its trace", async () => {
  const { collector, model, env } = await prepare();
  const rpc = startRpc(workspace, ["--no-session", "--model", model], { env });
  await rpc.ask({ type: "prompt", message: "Hi", ...trace });
  await expectCaller(collector);
});

test("the headers of a request to pi serve name the trace of its prompt", async () => {
  const { collector, model, env } = await prepare();
  const served = await startServe(workspace, [], { env });
  const id = await begin(served, { model });
  const body = { type: "prompt", message: "Hi" };
  expect(await call(served, "POST", `/v1/sessions/${id}/commands`, { body, headers: trace })).toMatchObject({ status: 200 });
  await expectCaller(collector);
});

test("the field _meta of a prompt of pi acp names its trace", async () => {
  const { collector, model, env } = await prepare();
  const editor = await startEditor(workspace, ["--model", model], { env });
  const sessionId = await editor.begin(workspace.cwd);
  await editor.agent.request("session/prompt", { sessionId, prompt: [{ type: "text", text: "Hi" }], _meta: trace });
  await expectCaller(collector);
});
