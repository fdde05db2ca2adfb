import { OTLPMetricExporter as JsonMetricExporter } from "@opentelemetry/exporter-metrics-otlp-http";
import { OTLPMetricExporter } from "@opentelemetry/exporter-metrics-otlp-proto";
import { OTLPTraceExporter as JsonTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { defaultResource, detectResources, envDetector, type Resource, resourceFromAttributes } from "@opentelemetry/resources";
import { MeterProvider, PeriodicExportingMetricReader } from "@opentelemetry/sdk-metrics";
import { BasicTracerProvider, BatchSpanProcessor } from "@opentelemetry/sdk-trace-base";
import { chooseExport, readInterval } from "./exports.ts";
import { FailureReport } from "./failure-report.ts";
import { type InstrumentableSession, type InstrumentSessionOptions, instrumentSession } from "./instrument-session.ts";

/** Maximum milliseconds for the last export. The process of `pi` waits for a second. */
const flushMs = 900;

/** The options of `startTelemetry`. */
export interface PiTelemetryOptions {
  /** The version of pi. */
  version: string;
  /** Called with one line for each part of the configuration that cannot be used, and once if the collector does not answer. */
  report(problem: string): void;
}

/** Traces and metrics of the process. */
export interface PiTelemetry {
  /** Makes traces and metrics of a session until it ends. */
  instrument(session: InstrumentableSession): void;
  /** Sends the rest, for at most 900 ms. Never rejects. */
  shutdown(): Promise<void>;
}

/**
 * Starts traces and metrics for `pi`, configured by the variables `OTEL_…` of the environment. The trace context in `TRACEPARENT` is the parent
 * of all runs. `pi` calls this when the environment names a collector.
 */
export function startTelemetry({ version, report }: PiTelemetryOptions): PiTelemetry {
  const { env } = process;
  const resource = describeProcess(version);
  const failures = new FailureReport(report);
  const tracerProvider = startTraces(resource, failures, report);
  const meterProvider = startMetrics(resource, failures, report);
  const { TRACEPARENT: traceparent, TRACESTATE: tracestate } = env;
  const options: InstrumentSessionOptions = {
    ...{ tracerProvider, meterProvider, agentVersion: version },
    ...(traceparent === undefined ? {} : { parent: { traceparent, tracestate } }),
    propagateToProviders: env.PI_OTEL_PROVIDER_HEADERS !== "0",
  };
  return {
    instrument: (session) => void instrumentSession(session, options),
    async shutdown() {
      // The end of the process does not wait for a collector that is known to be away.
      if (failures.isDown) return;
      const { promise: late, resolve } = Promise.withResolvers<"late">();
      const timer = setTimeout(resolve, flushMs, "late");
      const sent = Promise.allSettled([tracerProvider.shutdown(), meterProvider.shutdown()]);
      if ((await Promise.race([sent, late])) === "late") failures.add(new Error(`it took longer than ${flushMs} ms`));
      clearTimeout(timer);
    },
  };
}

function describeProcess(version: string): Resource {
  return defaultResource()
    .merge(resourceFromAttributes({ "service.name": "pi", "service.version": version }))
    .merge(detectResources({ detectors: [envDetector] }));
}

function startTraces(resource: Resource, failures: FailureReport, report: (problem: string) => void): BasicTracerProvider {
  const protocol = chooseExport("TRACES", process.env, report);
  // Without an exporter, spans still hand the trace of the caller on.
  if (protocol === undefined) return new BasicTracerProvider({ resource });
  const exporter = failures.watch(protocol === "http/json" ? new JsonTraceExporter() : new OTLPTraceExporter());
  return new BasicTracerProvider({ resource, spanProcessors: [new BatchSpanProcessor(exporter)] });
}

function startMetrics(resource: Resource, failures: FailureReport, report: (problem: string) => void): MeterProvider {
  const protocol = chooseExport("METRICS", process.env, report);
  if (protocol === undefined) return new MeterProvider({ resource });
  const exporter = failures.watch(protocol === "http/json" ? new JsonMetricExporter() : new OTLPMetricExporter());
  const exportIntervalMillis = readInterval(process.env);
  // The SDK refuses a timeout that is longer than the interval.
  const exportTimeoutMillis = Math.min(exportIntervalMillis, 30_000);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis, exportTimeoutMillis });
  return new MeterProvider({ resource, readers: [reader] });
}
