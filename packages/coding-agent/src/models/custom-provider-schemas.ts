import * as Type from "@sinclair/typebox";
import { WireModelSchema } from "../protocol/messages.ts";

const { id, name, reasoning, input, contextWindow, maxTokens, cost } = WireModelSchema.properties;

const headers = Type.Optional(Type.Record(Type.String(), Type.String()));
const anything = Type.Optional(Type.Unknown());

const requestFields = {
  headers,
  compat: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  thinkingLevelMap: Type.Optional(Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()]))),
  samplingParams: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
};

/** The fields that describe a model. Those that have no effect here are listed, so that they do not count as misspelt. */
const description = {
  name: Type.Optional(name),
  reasoning: Type.Optional(reasoning),
  input: Type.Optional(input),
  contextWindow: Type.Optional(contextWindow),
  maxTokens: Type.Optional(maxTokens),
  ...requestFields,
  inputLimits: anything,
  promptCache: anything,
};

/** A model of `models.json`. Only its id is required. */
export const ModelSchema = Type.Object({
  id,
  api: Type.Optional(Type.String()),
  baseUrl: Type.Optional(Type.String()),
  cost: Type.Optional(cost),
  ...description,
});

/** The changes of `models.json` to a model that is listed elsewhere. */
export const OverrideSchema = Type.Object({ ...description, cost: Type.Optional(Type.Partial(cost)) });

/** A provider of `models.json`. Its models are checked one by one, so that an error names the model. */
export const ProviderSchema = Type.Object({
  name: Type.Optional(Type.String()),
  baseUrl: Type.Optional(Type.String()),
  api: Type.Optional(Type.String()),
  apiKey: Type.Optional(Type.String()),
  authHeader: Type.Optional(Type.Boolean()),
  oauth: anything,
  ...requestFields,
  models: Type.Optional(Type.Array(Type.Unknown())),
  modelOverrides: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
