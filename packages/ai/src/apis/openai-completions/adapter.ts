import OpenAI from "openai";
import type { ApiAdapter } from "../../api-registry.ts";
import { isAiError } from "../../errors.ts";
import type { Model } from "../../types.ts";
import { applyPayloadHook, chooseKey, mergeHeaders, quietClient, sendRequest } from "../http-request.ts";
import { readServerSentEvents } from "../sse.ts";
import { OpenAIEventReader } from "./events.ts";
import { createBody } from "./request.ts";

/** Speaks the OpenAI Chat Completions API. */
export const streamOpenAICompletions: ApiAdapter = async (request, assembler) => {
  const { model, options } = request;
  const headers = mergeHeaders(model, options);
  const key = chooseKey(model, options, headers);
  const body = await applyPayloadHook(createBody(request), model, options);
  const response = await sendRequest(model, options, ({ signal, fetch }) => {
    const client = new OpenAI({
      ...quietClient,
      ...identity(model),
      fetch,
      baseURL: toVersioned(model.baseUrl),
      // Any key keeps the SDK from asking for one; without a key of ours the header is left out.
      apiKey: key ?? "unused",
      adminAPIKey: null,
      defaultHeaders: { ...(key === undefined && { authorization: null }), ...headers },
    });
    return client.post("/chat/completions", { body, stream: true, signal }).asResponse();
  });
  const reader = new OpenAIEventReader(assembler, model);
  try {
    await readServerSentEvents(response, ({ data }) => reader.read(data), { provider: model.provider, signal: options.signal });
  } catch (error) {
    // Once the server has said why the answer ended, a broken connection takes nothing from it but the count of tokens.
    if (!(reader.isFinished && isAiError(error) && error.code === "network")) throw error;
  }
  if (!assembler.isEnded) reader.finish();
};

/** OpenAI's own organization variables are for OpenAI only. */
function identity(model: Model): { organization?: null; project?: null } {
  return model.provider === "openai" ? {} : { organization: null, project: null };
}

/** A bare host gets the version segment; a path is taken as it is, since vendors have versions of their own. */
function toVersioned(baseUrl: string): string {
  const trimmed = baseUrl.replace(/\/+$/, "");
  return URL.parse(trimmed)?.pathname === "/" ? `${trimmed}/v1` : trimmed;
}
