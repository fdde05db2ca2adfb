import type { Model } from "@pikit/ai";
import type { WireModel } from "../protocol/messages.ts";

/** Converts a model for the protocol: only these ten fields, never headers, keys or fields of an api. */
export function toWireModel(model: Model): WireModel {
  const { id, name, api, provider, baseUrl, reasoning, input, contextWindow, maxTokens, cost } = model;
  return { id, name, api, provider, baseUrl, reasoning, input, contextWindow, maxTokens, cost };
}
