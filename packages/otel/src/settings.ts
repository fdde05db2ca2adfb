import type { Context, Tracer } from "@opentelemetry/api";
import type { Content } from "./content.ts";
import type { Metrics } from "./metrics.ts";

/** The settings that all parts of the trace of a session use. */
export interface Settings {
  tracer: Tracer;
  metrics: Metrics;
  /** Undefined: messages, arguments, results and commands are left out. */
  content: Content | undefined;
  agentName: string;
  agentVersion: string | undefined;
  /** Whether requests to models get a `traceparent` header. */
  tracesProviders: boolean;
  /** The parent of runs without another one. */
  parent: Context | undefined;
}
