import type { ApiAdapter } from "../../api-adapter.ts";
import { isAiError } from "../../errors.ts";
import { placeholderBody, sendRequest } from "../http-request.ts";
import { prepareClient } from "../openai-client.ts";
import { prepareRequest } from "../prepared-request.ts";
import { readServerSentEvents } from "../sse.ts";
import { createNameReader } from "../tool-names.ts";
import { OpenAIEventReader } from "./events.ts";
import { completionsWriter } from "./request.ts";

/** Speaks the OpenAI Chat Completions API. */
export const streamOpenAICompletions: ApiAdapter = async (request, assembler) => {
  const { model, context, options } = request;
  const createClient = prepareClient(model, options);
  const { content } = await prepareRequest(request, completionsWriter);
  const response = await sendRequest(model, options, content, ({ signal, fetch }) =>
    createClient(fetch).post("/chat/completions", { body: placeholderBody, stream: true, signal }).asResponse(),
  );
  const reader = new OpenAIEventReader(assembler, model, createNameReader(context.tools));
  try {
    await readServerSentEvents(response, ({ data }) => reader.read(data), { ...options, provider: model.provider });
  } catch (error) {
    // After the finish reason only token counts can follow, so a broken connection does not fail the answer.
    if (!(reader.isFinished && isAiError(error) && error.code === "network")) throw error;
  }
  if (!assembler.isEnded) reader.finish();
};
