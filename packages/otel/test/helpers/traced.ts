import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { type AgentSession, type CreateAgentSessionOptions, createAgentSession } from "@pikit/coding-agent";
import { onTestFinished } from "vitest";
import { type InstrumentSessionOptions, instrumentSession } from "../../src/index.ts";
import { type Collector, startCollector } from "./collector.ts";

export interface Telemetry {
  collector: Collector;
  /** The providers, for `instrumentSession`. */
  providers: Required<Pick<InstrumentSessionOptions, "tracerProvider" | "meterProvider">>;
  /** Resolves when everything that has ended has arrived. */
  flush(): Promise<void>;
}

/** The SDK of OpenTelemetry, which sends to a collector of its own. */
export async function startTelemetry(): Promise<Telemetry> {
  const collector = await startCollector();
  const tracerProvider = new BasicTracerProvider({
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter({ url: `${collector.url}/v1/traces` }))],
  });
  const exporter = new OTLPMetricExporter({ url: `${collector.url}/v1/metrics` });
  const meterProvider = new MeterProvider({ readers: [new PeriodicExportingMetricReader({ exporter })] });
  onTestFinished(async () => {
    await Promise.allSettled([tracerProvider.shutdown(), meterProvider.shutdown()]);
  });
  return {
    collector,
    providers: { tracerProvider, meterProvider },
    async flush() {
      await Promise.all([tracerProvider.forceFlush(), meterProvider.forceFlush()]);
    },
  };
}

/** A folder that is removed at the end of the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pikit-otel-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A session in memory that is traced; disposed of at the end of the test. */
export async function openTraced(
  telemetry: Telemetry,
  options: CreateAgentSessionOptions,
  tracing: InstrumentSessionOptions = {},
): Promise<AgentSession> {
  const folder = temporaryFolder();
  const session = await createAgentSession({ cwd: folder, agentDir: join(folder, "agent"), session: "memory", ...options });
  onTestFinished(() => session.dispose());
  instrumentSession(session, { ...telemetry.providers, ...tracing });
  return session;
}
