import type { Counter, Histogram, MeterProvider } from "@opentelemetry/api";
import { scopeName } from "./scope.ts";

/** The metrics of all sessions with one provider of meters. Their attributes have few values: no ids, no texts. */
export interface Metrics {
  tokens: Histogram;
  /** Seconds of a model call, a tool call or a run. */
  modelDuration: Histogram;
  firstChunk: Histogram;
  runDuration: Histogram;
  toolDuration: Histogram;
  mcpDuration: Histogram;
  approvalDuration: Histogram;
  cost: Counter;
  retries: Counter;
  compactions: Counter;
}

/** The boundaries that the conventions recommend. */
const seconds = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];
const tokenCounts = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304, 16_777_216, 67_108_864];
/** Runs and tools can last much longer than a model call. */
const longSeconds = [...seconds, 163.84, 327.68, 655.36, 1310.72];

/** Each provider has one set, because the SDK would keep the ones of each session. */
const made = new WeakMap<MeterProvider, Metrics>();

export function metricsOf(provider: MeterProvider): Metrics {
  const metrics = made.get(provider) ?? createMetrics(provider);
  made.set(provider, metrics);
  return metrics;
}

function createMetrics(provider: MeterProvider): Metrics {
  const meter = provider.getMeter(scopeName);
  const histogram = (name: string, unit: string, explicitBucketBoundaries: number[], description: string) =>
    meter.createHistogram(name, { unit, description, advice: { explicitBucketBoundaries } });
  const counter = (name: string, unit: string, description: string) => meter.createCounter(name, { unit, description });
  return {
    tokens: histogram("gen_ai.client.token.usage", "{token}", tokenCounts, "Input and output tokens of a model call."),
    modelDuration: histogram("gen_ai.client.operation.duration", "s", seconds, "Duration of a model call."),
    firstChunk: histogram(
      "gen_ai.client.operation.time_to_first_chunk",
      "s",
      seconds,
      "Time from the request to the first content of the answer.",
    ),
    runDuration: histogram("gen_ai.invoke_agent.duration", "s", longSeconds, "Duration of a run."),
    toolDuration: histogram("gen_ai.execute_tool.duration", "s", longSeconds, "Duration of a tool call."),
    mcpDuration: histogram("mcp.client.operation.duration", "s", longSeconds, "Duration of a call of an MCP server."),
    approvalDuration: histogram("pikit.approval.duration", "s", longSeconds, "Time until the user has answered a question."),
    cost: counter("pikit.cost", "{USD}", "Cost of model calls in US dollars."),
    retries: counter("pikit.retries", "{retry}", "Retries of model calls after temporary failures."),
    compactions: counter("pikit.compactions", "{compaction}", "Compactions of conversations."),
  };
}
