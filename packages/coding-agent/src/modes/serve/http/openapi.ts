import type { TObject, TSchema } from "@sinclair/typebox";
import { ConnectionReadySchema, ResyncSchema } from "../../../protocol/connection.ts";
import { type JsonSchema, rpcSchema } from "../../../protocol/json-schema.ts";
import { protocolVersion } from "../../../protocol/version.ts";
import { packageVersion } from "../../../version.ts";
import { type HttpErrorCode, statusOfCode } from "./http-error.ts";
import {
  ErrorAnswerSchema,
  OpenedSessionSchema,
  type RouteSchemas,
  routeSchemas,
  SessionRequestSchema,
  StoredSessionSchema,
} from "./route-schemas.ts";
import { type Route, routeNames, routes } from "./routes.ts";

const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** The OpenAPI 3.1 document of the server: the table of routes, with the definitions of the RPC protocol as components. */
export function openApiDocument(): JsonSchema {
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const name of routeNames) {
    const { method, path, isOpen = false }: Route = routes[name];
    const operation = describeOperation(name, routeSchemas[name], isOpen);
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
  }
  return {
    openapi: "3.1.0",
    info: {
      title: "pi serve",
      version: packageVersion(),
      description: `Sessions of pi over HTTP, RPC protocol version ${protocolVersion}. Each GET route takes HEAD too.`,
    },
    paths,
    components: {
      securitySchemes: { token: { type: "http", scheme: "bearer" } },
      schemas: components(),
    },
  };
}

function describeOperation(operationId: string, schemas: RouteSchemas, isOpen: boolean): JsonSchema {
  const { summary, params, query, headers, body, answers, errors } = schemas;
  const parameters = [
    ...describeParameters("path", params),
    ...describeParameters("query", query),
    ...describeParameters("header", headers),
  ];
  return {
    operationId,
    summary,
    security: isOpen ? [] : [{ token: [] }],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body ? { requestBody: { required: true, content: { "application/json": { schema: toSchema(body.schema) } } } } : {}),
    responses: {
      ...describeErrors(errors),
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, describeAnswer(answer)])),
    },
  };
}

function describeParameters(place: "path" | "query" | "header", schema: TObject | undefined): JsonSchema[] {
  const required = new Set(schema?.required ?? []);
  return Object.entries(schema?.properties ?? {}).map(([name, field]) => ({
    name,
    in: place,
    required: required.has(name),
    schema: toSchema(field),
  }));
}

function describeAnswer({ description, content, headers }: RouteSchemas["answers"][number]): JsonSchema {
  const type = typeof content === "string" ? content : "application/json";
  const schema = typeof content === "string" ? { type: "string" } : content && toSchema(content);
  return {
    description,
    ...(headers ? { headers: mapValues(headers.properties, (field) => ({ schema: toSchema(field) })) } : {}),
    ...(schema ? { content: { [type]: { schema } } } : {}),
  };
}

/** Codes with the same status share an answer. */
function describeErrors(codes: readonly HttpErrorCode[]): JsonSchema {
  const byStatus = new Map<number, string[]>();
  for (const code of codes) byStatus.set(statusOfCode[code], [...(byStatus.get(statusOfCode[code]) ?? []), code]);
  return Object.fromEntries(
    [...byStatus].map(([status, names]) => [
      String(status),
      { description: names.join(", "), content: { "application/json": { schema: ref("ErrorAnswer") } } },
    ]),
  );
}

function components(): JsonSchema {
  const { $defs } = moveReferences(rpcSchema()) as { $defs: Record<string, JsonSchema> };
  return {
    ...$defs,
    SessionRequest: toSchema(SessionRequestSchema),
    OpenedSession: toSchema(OpenedSessionSchema),
    StoredSession: toSchema(StoredSessionSchema),
    ErrorAnswer: toSchema(ErrorAnswerSchema),
    Response: { anyOf: Object.keys($defs).flatMap((name) => (name.startsWith("response.") ? [ref(name)] : [])) },
    ConnectionReady: toSchema(ConnectionReadySchema),
    Resync: toSchema(ResyncSchema),
    NumberedFrame: {
      description: "A frame of RPC mode with its number. A question that is sent again has `again`.",
      allOf: [
        ref("Outgoing"),
        {
          type: "object",
          properties: { epoch: { type: "string" }, seq: { type: "integer" }, again: { const: true } },
          required: ["epoch", "seq"],
        },
      ],
    },
    ConnectionFrame: { anyOf: [ref("ConnectionReady"), ref("Resync"), ref("NumberedFrame"), ref("Response")] },
  };
}

/** A schema of the server as JSON Schema; references are names of components. */
function toSchema(schema: TSchema): JsonSchema {
  if (typeof schema.$ref === "string") return ref(schema.$ref);
  // TypeBox stores its own data under symbols, which JSON leaves out.
  const { properties, items, ...plain } = JSON.parse(JSON.stringify(schema)) as JsonSchema;
  const parts = schema as { properties?: Record<string, TSchema>; items?: TSchema };
  return {
    ...plain,
    ...(parts.properties ? { properties: mapValues(parts.properties, toSchema) } : {}),
    ...(parts.items ? { items: toSchema(parts.items) } : {}),
  };
}

/** Replaces references to `$defs` by those to the components. */
function moveReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(moveReferences);
  if (typeof value !== "object" || value === null) return value;
  return mapValues(value as Record<string, unknown>, (item, key) =>
    key === "$ref" && typeof item === "string" ? item.replace("#/$defs/", "#/components/schemas/") : moveReferences(item),
  );
}

function mapValues<V, R>(record: Readonly<Record<string, V>>, map: (value: V, key: string) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}
