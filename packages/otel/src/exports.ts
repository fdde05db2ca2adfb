/** The protocols of OTLP that are supported. */
export type Protocol = "http/protobuf" | "http/json";

/** The default of `OTEL_METRIC_EXPORT_INTERVAL`, in milliseconds. */
const defaultIntervalMs = 60_000;

/**
 * The protocol in which one kind of data is sent; undefined if it is not sent.
 *
 * @param report - Called with one line for a value that is not supported.
 */
export function chooseExport(
  signal: "TRACES" | "METRICS",
  env: NodeJS.ProcessEnv,
  report: (problem: string) => void,
): Protocol | undefined {
  const read = (name: string): [name: string, value: string] | undefined => {
    const value = env[name]?.trim();
    return value ? [name, value] : undefined;
  };
  const endpoint = read(`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`) ?? read("OTEL_EXPORTER_OTLP_ENDPOINT");
  const [exporterName, exporter] = read(`OTEL_${signal}_EXPORTER`) ?? ["", "otlp"];
  if (endpoint === undefined || exporter === "none") return undefined;
  const nothingSent = `No ${signal.toLowerCase()} are sent.`;
  if (exporter !== "otlp") {
    report(`${exporterName} is "${exporter}", which pi does not support: expected otlp or none. ${nothingSent}`);
    return undefined;
  }
  if (!isHttp(endpoint[1])) {
    report(`${endpoint[0]} is "${endpoint[1]}", which is no address: expected one such as http://localhost:4318. ${nothingSent}`);
    return undefined;
  }
  const [protocolName, protocol] = read(`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`) ??
    read("OTEL_EXPORTER_OTLP_PROTOCOL") ?? ["", "http/protobuf"];
  if (protocol === "http/protobuf" || protocol === "http/json") return protocol;
  const advice = "expected http/protobuf or http/json, which collectors take on port 4318";
  report(`${protocolName} is "${protocol}", which pi does not support: ${advice}. ${nothingSent}`);
  return undefined;
}

/** Milliseconds between two exports of metrics. */
export function readInterval(env: NodeJS.ProcessEnv): number {
  const value = Number(env.OTEL_METRIC_EXPORT_INTERVAL);
  return Number.isFinite(value) && value >= 1 ? Math.min(value, 2 ** 31 - 1) : defaultIntervalMs;
}

function isHttp(address: string): boolean {
  return URL.canParse(address) && /^https?:$/.test(new URL(address).protocol);
}
