import { knownApis, loadProviderModels, type Model } from "@pikit/ai";
import type { Static } from "@sinclair/typebox";
import stripComments from "strip-json-comments";
import { readJsonFile } from "../config/json-file.ts";
import { describeMisspeltKeys } from "../config/misspelt-keys.ts";
import { UsageError } from "../errors.ts";
import { anyKey, readShape, type Shape } from "../protocol/shape.ts";
import type * as schemas from "./custom-provider-schemas.ts";
import { customProviderShapes } from "./custom-provider-shapes.ts";
import type { Endpoint } from "./endpoint.ts";
import { type RequestFields, toCompat } from "./family-compat.ts";

/** The limits of a model of `models.json` without limits of its own, as related programs have them. */
const defaultLimits = { contextWindow: 128_000, maxTokens: 16_384 } as const;

/** Apis of related programs that we do not have. */
const otherApis: readonly string[] = [
  "azure-openai-responses",
  "bedrock-converse-stream",
  "google-gemini-cli",
  "google-vertex",
  "mistral-conversations",
  "openai-codex-responses",
];

/** The keys of the file. */
function fileShape(): Shape {
  const { provider, model, override } = customProviderShapes;
  const properties = { ...provider.properties, models: { items: model }, modelOverrides: recordOf(override) };
  return { properties: { providers: recordOf({ properties }) } };
}

function recordOf(shape: Shape): Shape {
  return { patternProperties: { [anyKey]: shape } };
}

/** The changes of a provider of `models.json` to models that are listed elsewhere. */
export type ModelChange = Partial<Omit<Model, "api" | "cost" | "id" | "provider">> & { cost?: Partial<Model["cost"]> };

/** A provider of `models.json`. */
export interface CustomProvider {
  name: string;
  /** As in the file, see `config-value.ts`. */
  apiKey: string | undefined;
  /** Whether the key is sent as `Authorization: Bearer`. */
  authHeader: boolean;
  /** The endpoint for models that are not listed; undefined if the file does not say enough about it. */
  endpoint: Endpoint | undefined;
  models: Model[];
  /** The changes to all models of a built-in provider with this name. */
  change: ModelChange;
  /** The changes to single models of a built-in or added provider with this name, by id. */
  modelChanges: ReadonlyMap<string, ModelChange>;
}

type RequestChange = Pick<Model, "headers" | "compat">;

/** Called with a line of text for each key that looks misspelt, and for each part that cannot be used. */
type Report = (problem: string) => void;

/**
 * Reads `models.json`, which may have comments; a missing file has no providers.
 *
 * @throws {UsageError} For an invalid field; the message names the file, the provider and the field.
 */
export async function readCustomProviders(path: string, report?: Report): Promise<CustomProvider[]> {
  const { providers } = readJsonFile(path, { strip: (text) => stripComments(text, { trailingCommas: true }) });
  if (providers === undefined) return [];
  if (typeof providers !== "object" || providers === null || Array.isArray(providers)) {
    throw new UsageError("invalid_config", `${path}: "providers" must be an object whose keys are provider names.`);
  }
  if (report) {
    for (const problem of await describeMisspeltKeys({ providers }, fileShape(), path)) report(problem);
  }
  return Promise.all(
    Object.entries(providers).map(([name, value]) => toCustomProvider(name, value, `${path}, provider "${name}"`, report)),
  );
}

/**
 * Checks and converts a provider in the format of `models.json`.
 *
 * @param where - The beginning of error messages.
 * @throws {UsageError} For an invalid field; the message names it.
 */
export async function toCustomProvider(
  name: string,
  value: unknown,
  where: string,
  report: Report = () => {},
): Promise<CustomProvider> {
  const provider = await read("provider", value, where);
  await checkApi(provider.api, where);
  // A provider with the name of a built-in one need not repeat its address and api.
  const [builtIn] = await loadProviderModels(name);
  const { api = builtIn?.api, baseUrl = builtIn?.baseUrl } = provider;
  const entries = (provider.models ?? []).map(async (entry, index) => {
    const place = `${where}, model ${index + 1}`;
    return toModel(
      name,
      { ...provider, ...pick("api", api), ...pick("baseUrl", baseUrl) },
      await read("model", entry, place),
      place,
      report,
    );
  });
  const changes = Object.entries(provider.modelOverrides ?? {}).map(async ([modelId, entry]) => {
    const change = await read("override", entry, `${where}, modelOverrides "${modelId}"`);
    return [modelId, toChange(change)] as const;
  });
  const requests = toRequests(provider);
  const isComplete = api !== undefined && baseUrl !== undefined && !otherApis.includes(api);
  return {
    name,
    apiKey: provider.apiKey,
    authHeader: provider.authHeader ?? false,
    endpoint: isComplete ? { api, provider: name, baseUrl, ...requests } : undefined,
    models: (await Promise.all(entries)).flatMap((model) => model ?? []),
    change: { ...requests, ...pick("baseUrl", provider.baseUrl) },
    modelChanges: new Map(await Promise.all(changes)),
  };
}

/** Applies changes to a listed model; later ones take precedence. */
export function changeModel(model: Model, ...changes: readonly (ModelChange | undefined)[]): Model {
  const changed: Model = { ...model };
  for (const { cost: changedCost, headers: changedHeaders, compat, ...rest } of changes.map((change) => change ?? {})) {
    Object.assign(changed, rest);
    if (changedCost) changed.cost = { ...changed.cost, ...changedCost };
    if (changedHeaders) changed.headers = { ...changed.headers, ...changedHeaders };
    if (compat) changed.compat = { ...changed.compat, ...compat };
  }
  return changed;
}

async function checkApi(api: string | undefined, where: string): Promise<void> {
  const names = knownApis().filter((known) => known !== "scripted" && known !== "host");
  if (api === undefined || api === "scripted" || names.includes(api) || otherApis.includes(api)) return;
  const { suggest } = await import("../suggest.ts");
  throw new UsageError(
    "invalid_config",
    `${where}: Unknown api "${api}".${suggest(api, names)} Expected one of ${names.join(", ")}.`,
  );
}

/** @returns Undefined for a model whose api we do not have, which is reported. */
async function toModel(
  providerName: string,
  provider: Parts["provider"],
  model: Parts["model"],
  where: string,
  report: Report,
): Promise<Model | undefined> {
  await checkApi(model.api, where);
  const { api = provider.api, baseUrl = provider.baseUrl } = model;
  for (const [field, given] of Object.entries({ api, baseUrl })) {
    if (given !== undefined) continue;
    throw new UsageError("invalid_config", `${where}: Field "${field}" must be a string, but is missing here and in the provider.`);
  }
  if (otherApis.includes(api as string)) {
    report(`${where}: pi has no api "${api}", so ${model.id} cannot be used.`);
    return undefined;
  }
  const base: Model = {
    ...{ id: model.id, name: model.name ?? model.id, api: api as string, provider: providerName, baseUrl: baseUrl as string },
    reasoning: false,
    input: ["text"],
    ...defaultLimits,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  };
  return changeModel(base, toRequests(provider), toChange(model));
}

function toChange(model: Parts["override"]): ModelChange {
  return {
    ...pick("name", model.name),
    ...pick("reasoning", model.reasoning),
    ...pick("input", model.input),
    ...pick("contextWindow", model.contextWindow),
    ...pick("maxTokens", model.maxTokens),
    ...pick("cost", model.cost),
    ...toRequests(model),
  };
}

/** The fields that change requests. */
function toRequests({ headers: own, ...fields }: RequestFields & { headers?: Record<string, string> }): RequestChange {
  const compat = toCompat(fields);
  return { ...pick("headers", own), ...(Object.keys(compat).length > 0 ? { compat } : {}) };
}

function pick<K extends string, V>(key: K, value: V | undefined): { [N in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { [N in K]?: V };
}

/** The parts of the file, as they are once checked. */
interface Parts {
  provider: Static<typeof schemas.ProviderSchema>;
  model: Static<typeof schemas.ModelSchema>;
  override: Static<typeof schemas.OverrideSchema>;
}

async function read<P extends keyof Parts>(part: P, value: unknown, where: string): Promise<Parts[P]> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new UsageError("invalid_config", `${where} must be an object.`);
  try {
    const fields = value as Record<string, unknown>;
    return (readShape(customProviderShapes[part], fields) ?? (await readWithSchema(part, fields))) as Parts[P];
  } catch (error) {
    const { message } = error as Error;
    // The value of a wrong type may still contain a key, so it is not quoted.
    const isSecret = /^Field "(apiKey|headers)\b/.test(message);
    throw new UsageError("invalid_config", `${where}: ${isSecret ? message.replace(/, but is .*$/s, "") : message}.`);
  }
}

/** Loads the schemas, which takes longer than everything else here, only for the error message. */
async function readWithSchema(part: keyof Parts, fields: Record<string, unknown>): Promise<Record<string, unknown>> {
  const [{ readFields }, { ProviderSchema, ModelSchema, OverrideSchema }] = await Promise.all([
    import("../protocol/validate.ts"),
    import("./custom-provider-schemas.ts"),
  ]);
  const schema = { provider: ProviderSchema, model: ModelSchema, override: OverrideSchema }[part];
  return readFields(schema, fields);
}
