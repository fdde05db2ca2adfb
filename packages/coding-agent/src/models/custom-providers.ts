import { knownApis, type Model } from "@pikit/ai";
import type { Static, TSchema } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import { readJsonFile } from "../config/json-file.ts";
import { describeMisspeltKeys } from "../config/misspelt-keys.ts";
import { UsageError } from "../errors.ts";
import { WireModelSchema } from "../protocol/messages.ts";
import { readFields } from "../protocol/validate.ts";
import { suggest } from "../suggest.ts";
import type { Endpoint } from "./endpoint.ts";

const { id, name, reasoning, input, contextWindow, maxTokens, cost } = WireModelSchema.properties;

const ProviderSchema = Type.Object({
  baseUrl: Type.String(),
  api: Type.String(),
  apiKey: Type.Optional(Type.String()),
  headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  compat: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  models: Type.Array(Type.Unknown()),
});

/** Only the id of a model is required. */
const ModelSchema = Type.Object({
  id,
  name: Type.Optional(name),
  reasoning: Type.Optional(reasoning),
  input: Type.Optional(input),
  contextWindow: Type.Optional(contextWindow),
  maxTokens: Type.Optional(maxTokens),
  cost: Type.Optional(cost),
  headers: Type.Optional(Type.Record(Type.String(), Type.String())),
  compat: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});

/** The keys of the file. */
const FileSchema = Type.Object({
  providers: Type.Record(Type.String(), Type.Object({ ...ProviderSchema.properties, models: Type.Array(ModelSchema) })),
});

/** A provider of `models.json`. */
export interface CustomProvider {
  name: string;
  /** A literal key, or `$NAME` for an environment variable. */
  apiKey: string | undefined;
  /** The endpoint for models that are not listed. */
  endpoint: Endpoint;
  models: Model[];
}

/**
 * Reads `models.json`; a missing file has no providers.
 *
 * @param report - Called with a line of text for each key that looks misspelt.
 * @throws {UsageError} For an invalid field; the message names the file, the provider and the field.
 */
export async function readCustomProviders(path: string, report?: (problem: string) => void): Promise<CustomProvider[]> {
  const { providers } = readJsonFile(path);
  if (providers === undefined) return [];
  if (typeof providers !== "object" || providers === null || Array.isArray(providers)) {
    throw new UsageError("invalid_config", `${path}: "providers" must be an object whose keys are provider names.`);
  }
  if (report) {
    for (const problem of describeMisspeltKeys({ providers }, FileSchema, path)) report(problem);
  }
  return Promise.all(
    Object.entries(providers).map(([name, value]) => toCustomProvider(name, value, `${path}, provider "${name}"`)),
  );
}

/**
 * Checks and converts a provider in the format of `models.json`.
 *
 * @param where - The beginning of error messages.
 * @throws {UsageError} For an invalid field; the message names it.
 */
export async function toCustomProvider(name: string, value: unknown, where: string): Promise<CustomProvider> {
  const provider = await read(ProviderSchema, value, where);
  if (!knownApis().includes(provider.api)) throw unknownApi(provider.api, where);
  const models = provider.models.map(async (entry, index) => {
    const model = await read(ModelSchema, entry, `${where}, model ${index + 1}`);
    return toModel(name, provider, model);
  });
  const { api, baseUrl, headers, compat } = provider;
  const endpoint = { api, provider: name, baseUrl, ...(headers ? { headers } : {}), ...(compat ? { compat } : {}) };
  return { name, apiKey: provider.apiKey, endpoint, models: await Promise.all(models) };
}

function unknownApi(api: string, where: string): UsageError {
  const names = knownApis().filter((name) => name !== "scripted");
  return new UsageError(
    "invalid_config",
    `${where}: Unknown api "${api}".${suggest(api, names)} Expected one of ${names.join(", ")}.`,
  );
}

function toModel(providerName: string, provider: Static<typeof ProviderSchema>, model: Static<typeof ModelSchema>): Model {
  const headers = { ...provider.headers, ...model.headers };
  const compat = { ...provider.compat, ...model.compat };
  return {
    id: model.id,
    name: model.name ?? model.id,
    api: provider.api,
    provider: providerName,
    baseUrl: provider.baseUrl,
    reasoning: model.reasoning ?? false,
    input: model.input ?? ["text"],
    contextWindow: model.contextWindow ?? 0,
    maxTokens: model.maxTokens ?? 0,
    cost: model.cost ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(Object.keys(compat).length > 0 ? { compat } : {}),
  };
}

async function read<T extends TSchema & { properties: object }>(schema: T, value: unknown, where: string): Promise<Static<T>> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new UsageError("invalid_config", `${where} must be an object.`);
  try {
    return (await readFields(schema as never, value as Record<string, unknown>)) as Static<T>;
  } catch (error) {
    const { message } = error as Error;
    // The value of a wrong type may still contain a key, so it is not quoted.
    const isSecret = /^Field "(apiKey|headers)\b/.test(message);
    throw new UsageError("invalid_config", `${where}: ${isSecret ? message.replace(/, but is .*$/s, "") : message}.`);
  }
}
