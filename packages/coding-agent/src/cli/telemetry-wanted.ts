/** Whether the environment names a collector of traces or metrics. The variables are those of OpenTelemetry. */
export function isTelemetryWanted(env: NodeJS.ProcessEnv): boolean {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === "true") return false;
  const { OTEL_EXPORTER_OTLP_ENDPOINT: all, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: traces } = env;
  return Boolean(all || traces || env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT);
}
