import type { AssistantMessage } from "@pikit/ai";
import { until } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { ServerMetrics } from "../../../src/modes/serve/metrics/server-metrics.ts";
import type { AgentSession } from "../../../src/session/agent-session.ts";
import type { AgentSessionEvent } from "../../../src/session/events.ts";
import { begin, call, command, openEvents, type Served } from "../../helpers/http-client.ts";
import { startTestServer } from "../../helpers/serve.ts";
import { useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

/** The values of all series, by their names with labels. */
async function read(served: Served): Promise<Map<string, number>> {
  const { status, text } = await call(served, "GET", "/metrics");
  expect(status).toBe(200);
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ") + 1))]));
}

test("the metrics need the token, unless they are open", async () => {
  const guarded = await startTestServer(workspace);
  expect((await call(guarded, "GET", "/metrics", { token: null })).status).toBe(401);
  const open = await startTestServer(workspace, { openMetrics: true });
  const answer = await call(open, "GET", "/metrics", { token: null });
  expect(answer.status).toBe(200);
  expect(answer.headers["content-type"]).toMatch(/^text\/plain; version=0\.0\.4/);
  expect((await call(open, "GET", "/v1/sessions", { token: null })).status).toBe(401);
});

test("the metrics count runs, answers, tokens, cost and requests, and show what is in memory", async () => {
  const server = await startTestServer(workspace);
  const waiting = { toolCalls: [{ name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.02; done" } }] };
  const usage = { input: 100, output: 20, cacheRead: 5, cacheWrite: 3 };
  const failing = { text: "No.", usage, error: { status: 400, message: "It failed." } };
  const model = await workspace.script({ ...waiting, usage }, { text: "Done.", usage }, failing);
  const id = await begin(server, { model, retry: { enabled: false } });
  const events = await openEvents(server, id);
  await command(server, id, { type: "prompt", message: "Wait" });
  await events.waitFor({ type: "tool_execution_start" });
  await command(server, id, { type: "follow_up", message: "And then?" });
  const during = await read(server);
  expect([during.get("pi_sessions_live"), during.get("pi_sessions_running"), during.get("pi_watchers")]).toEqual([1, 1, 1]);
  expect([during.get("pi_queued_messages"), during.get("pi_open_questions"), during.get("pi_ready")]).toEqual([1, 0, 1]);
  expect(during.get('pi_runs_total{outcome="completed"}')).toBeUndefined();
  await workspace.write("work/go", "");
  await events.waitFor({ type: "agent_settled" });
  const after = await read(server);
  const calls = ["toolUse", "stop", "error"].map((reason) =>
    after.get(`pi_model_calls_total{model="${model}",reason="${reason}"}`),
  );
  expect(calls).toEqual([1, 1, 1]);
  const kinds = ["input", "output", "cache_read", "cache_write"];
  expect(kinds.map((kind) => after.get(`pi_tokens_total{model="${model}",kind="${kind}"}`))).toEqual([300, 60, 15, 9]);
  expect(after.get('pi_runs_total{outcome="failed"}')).toBe(1);
  expect(after.get("pi_run_duration_seconds_count")).toBe(1);
  expect(after.get("pi_first_delta_seconds_count")).toBe(3);
  expect([after.get("pi_sessions_running"), after.get("pi_queued_messages")]).toEqual([0, 0]);
  expect(after.get('pi_http_request_duration_seconds_count{route="sendCommand",status="200"}')).toBe(2);
  expect(after.get('pi_http_request_duration_seconds_count{route="streamEvents",status="200"}')).toBe(1);
  await call(server, "GET", "/no/such");
  await call(server, "GET", "/v1/sessions/none");
  const last = await read(server);
  expect(last.get('pi_http_request_duration_seconds_count{route="none",status="404"}')).toBe(1);
  expect(last.get('pi_http_request_duration_seconds_count{route="getSession",status="404"}')).toBe(1);
  for (const name of ["process_resident_memory_bytes", "nodejs_eventloop_lag_p99_seconds", "nodejs_heap_size_used_bytes"]) {
    expect(last.get(name), name).toBeGreaterThan(0);
  }
  events.close();
  await until("nobody watches", async () => (await read(server)).get("pi_watchers") === 0);
});

test("the cost is counted by model, and beyond 100 models as others", async () => {
  const metrics = new ServerMetrics({ live: () => [], isReady: async () => true });
  let emit: (event: AgentSessionEvent) => void = () => undefined;
  const session: Pick<AgentSession, "subscribe"> = {
    subscribe: (listener) => {
      emit = (event) => void listener(event);
      return () => undefined;
    },
  };
  metrics.watch(session);
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0.25 };
  const usage = { input: 1, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 1, cost };
  const answer: Omit<AssistantMessage, "model"> = {
    ...{ role: "assistant", content: [], api: "openai-chat", provider: "lab", usage, stopReason: "stop", timestamp: 0 },
  };
  for (let index = 0; index < 105; index += 1) emit({ type: "message_end", message: { ...answer, model: `m${index}` } });
  emit({ type: "message_end", message: { ...answer, model: "m7" } });
  const { text } = await metrics.read();
  expect(text).toContain('pi_cost_usd_total{model="lab/m7"} 0.5\n');
  expect(text).toContain('pi_cost_usd_total{model="other"} 1.25\n');
  expect(text).not.toContain("lab/m100");
});
