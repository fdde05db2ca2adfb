import Anthropic from "@anthropic-ai/sdk";
import type { ApiAdapter } from "../../api-adapter.ts";
import { AiError } from "../../errors.ts";
import { applyPayloadHook, chooseKey, mergeHeaders, quietClient, sendRequest, withoutAmbientHeaders } from "../http-request.ts";
import { readServerSentEvents } from "../sse.ts";
import { createNameReader } from "../tool-names.ts";
import { AnthropicEventReader } from "./events.ts";
import { type AnthropicBody, createBody, requiredBetas } from "./request.ts";

/**
 * The version that compatible servers know. The SDK's own, 2026-10-21, rejects `temperature`; our requests and the stream are
 * otherwise the same under both.
 */
const apiVersion = "2023-06-01";

/** Speaks the Anthropic Messages API. */
export const streamAnthropicMessages: ApiAdapter = async (request, assembler) => {
  const { model, options } = request;
  const headers = mergeHeaders(model, options);
  const key = chooseKey(model, options, headers);
  const body = await applyPayloadHook(createBody(request), model, options);
  const response = await sendRequest(model, options, ({ signal, fetch }) => {
    const client = new Anthropic({
      ...quietClient,
      fetch,
      baseURL: toRoot(model.baseUrl),
      // Any key keeps the SDK from looking for one in the environment and on disk; the header below decides what is sent.
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
    // Not `messages.create`: it prints warnings about models.
    return client.post("/v1/messages", { body, stream: true, signal }).asResponse();
  });
  const reader = new AnthropicEventReader(assembler, model, createNameReader(request.context.tools));
  await readServerSentEvents(response, ({ data }) => reader.read(data), { ...options, provider: model.provider });
  if (assembler.isEnded) return;
  throw new AiError("bad_response", `${model.provider} closed the stream before message_stop; the answer is incomplete.`);
};

/** The caller's betas and ours in one header, each once. */
function betaHeader(body: AnthropicBody, headers: Record<string, string>): Record<string, string> {
  const given = headers["anthropic-beta"]?.split(",").map((name) => name.trim()) ?? [];
  const betas = [...new Set([...given, ...requiredBetas(body)])].filter((name) => name !== "");
  return betas.length === 0 ? {} : { "anthropic-beta": betas.join(",") };
}

/** The SDK adds the version segment itself. */
function toRoot(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "");
}
