import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import root from "otlp-protos/build/src/generated/root.js";
import { onTestFinished } from "vitest";

/** The classes that protobufjs has generated from the official `.proto` files. */
const { opentelemetry } = root as unknown as {
  opentelemetry: { proto: { collector: Record<"trace" | "metrics", { v1: Record<string, MessageClass> }> } };
};

interface MessageClass {
  decode(bytes: Uint8Array): object;
  toObject(message: object, options: object): Json;
  encode(message: object): { finish(): Uint8Array };
}

// biome-ignore lint/suspicious/noExplicitAny: the shape is that of the official protos
type Json = any;

/** A span as it arrived. */
export interface ReceivedSpan {
  name: string;
  traceId: string;
  spanId: string;
  /** Empty for the first span of a trace. */
  parentSpanId: string;
  kind: number;
  attributes: Record<string, unknown>;
  events: { name: string; attributes: Record<string, unknown> }[];
  status: { code: number; message: string };
  resource: Record<string, unknown>;
}

/** A point of a metric as it arrived. */
interface ReceivedPoint {
  metric: string;
  unit: string;
  attributes: Record<string, unknown>;
  /** The number of values of a histogram. */
  count: number;
  sum: number;
}

export interface Collector {
  /** `http://127.0.0.1:<port>`. */
  url: string;
  spans: ReceivedSpan[];
  points: ReceivedPoint[];
  /** The requests, with their paths, types and headers. */
  requests: { path: string; type: string | undefined; headers: Record<string, unknown> }[];
}

const types = {
  "/v1/traces": opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest,
  "/v1/metrics": opentelemetry.proto.collector.metrics.v1.ExportMetricsServiceRequest,
};

/** A collector on this machine, which reads OTLP over HTTP with the official definitions. */
export async function startCollector(): Promise<Collector> {
  const collector: Collector = { url: "", spans: [], points: [], requests: [] };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const type = request.headers["content-type"];
    const path = request.url ?? "";
    const messageType = types[path as keyof typeof types];
    if (!messageType) return void response.writeHead(404).end();
    collector.requests.push({ path, type, headers: request.headers });
    const body = Buffer.concat(chunks);
    const data = type === "application/json" ? JSON.parse(body.toString()) : decode(messageType, body);
    collector.spans.push(...spansIn(data));
    collector.points.push(...pointsIn(data));
    response.writeHead(200, { "content-type": type ?? "application/json" }).end(type === "application/json" ? "{}" : "");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  collector.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return collector;
}

function decode(messageType: MessageClass, body: Uint8Array): Json {
  const options = { longs: Number, defaults: true, bytes: Buffer };
  return messageType.toObject(messageType.decode(body), options);
}

function spansIn({ resourceSpans = [] }: Json): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }: Json) =>
    scopeSpans.flatMap(({ spans }: Json) =>
      spans.map((span: Json) => ({
        name: span.name,
        traceId: toHex(span.traceId),
        spanId: toHex(span.spanId),
        parentSpanId: toHex(span.parentSpanId),
        kind: span.kind,
        attributes: toRecord(span.attributes),
        events: (span.events ?? []).map((event: Json) => ({ name: event.name, attributes: toRecord(event.attributes) })),
        status: { code: span.status?.code ?? 0, message: span.status?.message ?? "" },
        resource: toRecord(resource.attributes),
      })),
    ),
  );
}

function pointsIn({ resourceMetrics = [] }: Json): ReceivedPoint[] {
  return resourceMetrics.flatMap(({ scopeMetrics }: Json) =>
    scopeMetrics.flatMap(({ metrics }: Json) =>
      metrics.flatMap(({ name, unit, histogram, sum }: Json) =>
        (histogram ?? sum).dataPoints.map((point: Json) => ({
          ...{ metric: name, unit, attributes: toRecord(point.attributes) },
          count: Number(point.count ?? 0),
          sum: Number(point.sum ?? point.asDouble ?? point.asInt),
        })),
      ),
    ),
  );
}

/** Ids are bytes in protobuf, and hexadecimal texts in JSON. */
function toHex(id: string | Buffer | undefined): string {
  return typeof id === "string" ? id : Buffer.from(id ?? []).toString("hex");
}

function toRecord(attributes: Json[] = []): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, toValue(value)]));
}

function toValue(value: Json): unknown {
  if (value.arrayValue) return value.arrayValue.values.map(toValue);
  return value.stringValue ?? value.intValue ?? value.doubleValue ?? value.boolValue;
}

/** The spans as a tree: each name with those of its children, sorted. Spans whose parent is absent are roots. */
export function treeOf(spans: readonly ReceivedSpan[]): string[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const lines = (parent: string | undefined, indent: string): string[] =>
    spans
      .filter(({ parentSpanId }) => (parent === undefined ? !ids.has(parentSpanId) : parentSpanId === parent))
      .sort((a, b) => a.name.localeCompare(b.name, "en"))
      .flatMap(({ name, spanId }) => [`${indent}${name}`, ...lines(spanId, `${indent}  `)]);
  return lines(undefined, "");
}
