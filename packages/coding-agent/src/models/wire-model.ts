import type { Model } from "@pikit/ai";
import type { WireModel } from "../protocol/messages.ts";

/** The model as protocols show it: these ten fields, never headers, keys or what an api added. */
export function toWireModel(model: Model): WireModel {
  const { id, name, api, provider, baseUrl, reasoning, input, contextWindow, maxTokens, cost } = model;
  return { id, name, api, provider, baseUrl, reasoning, input, contextWindow, maxTokens, cost };
}
