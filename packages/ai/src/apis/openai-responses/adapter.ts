import type { ApiAdapter } from "../../api-adapter.ts";
import { AiError } from "../../errors.ts";
import { placeholderBody, sendRequest } from "../http-request.ts";
import { prepareClient } from "../openai-client.ts";
import { prepareRequest } from "../prepared-request.ts";
import { readServerSentEvents } from "../sse.ts";
import { ResponsesEventReader } from "./events.ts";
import { responsesWriter } from "./request.ts";

/** Speaks the OpenAI Responses API. */
export const streamOpenAIResponses: ApiAdapter = async (request, assembler) => {
  const { model, context, options } = request;
  const createClient = prepareClient(model, options);
  const { body, content } = await prepareRequest(request, responsesWriter);
  const response = await sendRequest(model, options, content, ({ signal, fetch }) =>
    createClient(fetch).post("/responses", { body: placeholderBody, stream: true, signal }).asResponse(),
  );
  const reader = new ResponsesEventReader(assembler, model, { tools: context.tools, serviceTier: body.service_tier });
  const { signal, idleTimeoutMs } = options;
  await readServerSentEvents(response, ({ data }) => reader.read(data), { provider: model.provider, signal, idleTimeoutMs });
  if (assembler.isEnded) return;
  throw new AiError("bad_response", `${model.provider} closed the stream before response.completed; the answer is incomplete.`);
};
