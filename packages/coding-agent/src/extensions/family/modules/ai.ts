import {
  type AssistantMessage,
  clampThinkingLevel,
  environmentKey,
  isOverflowText,
  isSilentOverflow,
  keyVariablesOf,
  loadProviderModels,
  type Model,
  priceUsage,
  providers,
  registerApi,
  type ThinkingLevel,
  thinkingLevelsOf,
  type Usage,
} from "@pikit/ai";
import { PartialArguments } from "@pikit/ai/partial-arguments";
import { createSessionId } from "../../../conversation/ids.ts";
import { absentNames } from "./absent.ts";
import { absentInAi } from "./absent-in-ai.ts";
import { FamilyAnswerStream, FamilyEventStream, type FamilyStream, familyComplete, familyStream, toApiAdapter } from "./streams.ts";
import { transcriptFunctions } from "./transcript.ts";
import { loadTypebox } from "./typebox.ts";
import { loadValidation } from "./validation.ts";

/** Loads `pi-ai`, with the models of the catalog, because its functions about models do not wait. */
export async function loadAi(): Promise<object> {
  const [typebox, validation, ...lists] = await Promise.all([
    loadTypebox(),
    loadValidation(),
    ...providers.map(async ({ provider }) => [provider, await loadProviderModels(provider)] as const),
  ]);
  const { Type } = typebox as typeof import("@sinclair/typebox");
  return {
    ...absentNames("pi-ai", absentInAi),
    Type,
    StringEnum: (values: readonly string[], options: object = {}) => Type.Unsafe({ type: "string", enum: [...values], ...options }),
    ...validation,
    ...transcriptFunctions,
    ...modelFunctions(new Map(lists)),
    ...streamFunctions,
    ...answerFunctions,
    uuidv7: (time?: number) => createSessionId(time),
    findEnvKeys: (provider: string) => keyVariablesOf(provider).filter((name) => process.env[name]),
    getEnvApiKey: (provider: string) => environmentKey(provider),
    registerSessionResourceCleanup: () => () => undefined,
    cleanupSessionResources: () => undefined,
    DEFAULT_MAX_AGENT_RETRY_DELAY_MS: 60_000,
    ANTHROPIC_API_KEY_ENV: "ANTHROPIC_API_KEY",
    ANTHROPIC_AUTH_TOKEN_ENV: "ANTHROPIC_AUTH_TOKEN",
    ANTHROPIC_OAUTH_TOKEN_ENV: "ANTHROPIC_OAUTH_TOKEN",
  };
}

/** The functions about models. They give copies, which extensions may change. */
function modelFunctions(catalog: ReadonlyMap<string, readonly Model[]>): Record<string, unknown> {
  const getModels = (provider: string): Model[] => structuredClone([...(catalog.get(provider) ?? [])]);
  const getModel = (provider: string, id: string): Model | undefined =>
    structuredClone(catalog.get(provider)?.find((model) => model.id === id));
  const getProviders = (): string[] => [...catalog.keys()];
  return {
    ...{ getModel, getModels, getProviders },
    ...{ getBuiltinModel: getModel, getBuiltinModels: getModels, getBuiltinProviders: getProviders },
    getSupportedThinkingLevels: (model: Model) => thinkingLevelsOf(model),
    clampThinkingLevel: (model: Model, level: ThinkingLevel) => clampThinkingLevel(level, model),
    modelsAreEqual: (one?: Model | null, other?: Model | null) => !!one && one.id === other?.id && one.provider === other.provider,
    hasApi: (model: Model, api: string) => model.api === api,
    // The caller expects that the cost is also set in its own object.
    calculateCost: (model: Model, usage: Usage) => Object.assign(usage.cost, priceUsage(model, usage).cost),
  };
}

/** Asks a model over a certain wire protocol, whatever its own is. */
const over =
  <T>(api: string, ask: (model: Model, ...rest: never[]) => T) =>
  (model: Model, ...rest: unknown[]): T =>
    ask({ ...model, api }, ...(rest as never[]));

/** Names of functions for one protocol, by our name of it. Those of protocols that we lack are absent. */
const apiNames = {
  "anthropic-messages": ["Anthropic", "anthropicMessagesApi"],
  "openai-completions": ["OpenAICompletions", "openAICompletionsApi"],
  "openai-responses": ["OpenAIResponses", "openAIResponsesApi"],
  "google-generative-ai": ["Google", "googleGenerativeAIApi"],
} as const;

const apiFunctions = Object.entries(apiNames).flatMap(([api, [name, factory]]) => {
  const ask = over(api, familyStream);
  return [
    [`stream${name}`, ask],
    [`streamSimple${name}`, ask],
    [factory, () => ({ stream: ask, streamSimple: ask })],
  ] as const;
});

const streamFunctions: Record<string, unknown> = {
  stream: familyStream,
  streamSimple: familyStream,
  complete: familyComplete,
  completeSimple: familyComplete,
  ...Object.fromEntries(apiFunctions),
  registerApiProvider({ api, stream, streamSimple = stream }: { api: string; stream?: FamilyStream; streamSimple?: FamilyStream }) {
    if (typeof streamSimple !== "function") throw new TypeError('The provider needs the field "streamSimple", a function.');
    registerApi(api, async () => toApiAdapter(streamSimple));
  },
  EventStream: FamilyEventStream,
  AssistantMessageEventStream: FamilyAnswerStream,
  createAssistantMessageEventStream: () => new FamilyAnswerStream(),
};

/** Texts of failures that another try may not have. */
const temporaryPattern =
  /\b(?:429|5\d\d)\b|overloaded|rate.?limit|timed? ?out|timeout|network|socket|connection|fetch failed|unavailable/i;

const answerFunctions: Record<string, unknown> = {
  isContextOverflow: (message: AssistantMessage, contextWindow = 0): boolean =>
    message.stopReason === "error" ? isOverflowText(message.errorMessage ?? "") : isSilentOverflow(message, { contextWindow }),
  isRetryableAssistantError: ({ stopReason, errorMessage = "" }: AssistantMessage): boolean =>
    stopReason === "error" && temporaryPattern.test(errorMessage),
  isRecoverableLength: ({ stopReason, usage }: AssistantMessage, desired: number): boolean =>
    stopReason === "length" && usage.output < desired,
  parseStreamingJson(text = ""): Record<string, unknown> {
    const reader = new PartialArguments();
    reader.append(text);
    return reader.value;
  },
  parseJsonWithRepair: (text: string): unknown => JSON.parse(text),
  formatThrownValue: (value: unknown): string => (value instanceof Error ? value.message : String(value)),
};
