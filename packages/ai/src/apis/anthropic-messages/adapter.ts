import Anthropic from "@anthropic-ai/sdk";
import type { ApiAdapter } from "../../api-adapter.ts";
import { AiError } from "../../errors.ts";
import { chooseKey, mergeHeaders, placeholderBody, quietClient, sendRequest, withoutAmbientHeaders } from "../http-request.ts";
import { prepareRequest } from "../prepared-request.ts";
import { readServerSentEvents } from "../sse.ts";
import { createNameReader } from "../tool-names.ts";
import { AnthropicEventReader } from "./events.ts";
import { type AnthropicBody, anthropicWriter, requiredBetas } from "./request.ts";

/**
 * The API version that compatible servers support. The SDK's default, 2026-10-21, rejects `temperature`; otherwise our requests and
 * the streams are the same under both.
 */
const apiVersion = "2023-06-01";

/** Speaks the Anthropic Messages API. */
export const streamAnthropicMessages: ApiAdapter = async (request, assembler) => {
  const { model, options } = request;
  const headers = mergeHeaders(model, options);
  const key = chooseKey(model, options, headers);
  const { body, content } = await prepareRequest(request, anthropicWriter);
  const response = await sendRequest(model, options, content, ({ signal, fetch }) => {
    const client = new Anthropic({
      ...quietClient,
      fetch,
      baseURL: toRoot(model.baseUrl),
      // With a key the SDK does not search the environment and the disk for one. The `x-api-key` header below holds the real key.
      apiKey: "unused",
      openTelemetry: false,
      defaultHeaders: {
        ...(model.provider !== "anthropic" && withoutAmbientHeaders("ANTHROPIC_CUSTOM_HEADERS")),
        authorization: null,
        "x-stainless-timeout": null,
        "anthropic-version": apiVersion,
        ...(key !== undefined && { "x-api-key": key }),
        ...headers,
        ...betaHeader(body, headers),
      },
    });
    // `messages.create` would print warnings about models.
    return client.post("/v1/messages", { body: placeholderBody, stream: true, signal }).asResponse();
  });
  const reader = new AnthropicEventReader(assembler, model, createNameReader(request.context.tools));
  await readServerSentEvents(response, ({ data }) => reader.read(data), { ...options, provider: model.provider });
  if (assembler.isEnded) return;
  throw new AiError("bad_response", `${model.provider} closed the stream before message_stop; the answer is incomplete.`);
};

/** Merges the caller's betas and ours into one header, without duplicates. */
function betaHeader(body: AnthropicBody, headers: Record<string, string>): Record<string, string> {
  const given = headers["anthropic-beta"]?.split(",").map((name) => name.trim()) ?? [];
  const betas = [...new Set([...given, ...requiredBetas(body)])].filter((name) => name !== "");
  return betas.length === 0 ? {} : { "anthropic-beta": betas.join(",") };
}

/** The SDK adds the version segment itself. */
function toRoot(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "");
}
