import type { ApiAdapter } from "../../api-adapter.ts";
import { isAiError } from "../../errors.ts";
import type { Model } from "../../types.ts";
import { chooseKey, mergeHeaders, placeholderBody, sendRequest } from "../http-request.ts";
import { prepareRequest } from "../prepared-request.ts";
import { readServerSentEvents } from "../sse.ts";
import { GoogleEventReader } from "./events.ts";
import { googleWriter } from "./request.ts";

/** Speaks the Gemini API. Its SDK gives no access to the raw response, so we post the request and use only the SDK's types. */
export const streamGoogle: ApiAdapter = async (request, assembler) => {
  const { model, context, options } = request;
  const headers = mergeHeaders(model, options);
  const key = chooseKey(model, options, headers);
  const { content } = await prepareRequest(request, googleWriter);
  const response = await sendRequest(model, options, content, ({ signal, fetch }) =>
    fetch(streamUrl(model), {
      method: "POST",
      headers: { "content-type": "application/json", ...(key !== undefined && { "x-goog-api-key": key }), ...headers },
      body: JSON.stringify(placeholderBody),
      signal,
    }),
  );
  const reader = new GoogleEventReader(assembler, model, context.tools);
  const { signal, idleTimeoutMs } = options;
  try {
    await readServerSentEvents(response, ({ data }) => reader.read(data), { provider: model.provider, signal, idleTimeoutMs });
  } catch (error) {
    // After the finish reason only token counts can follow, so a broken connection does not fail the answer.
    if (!(reader.isFinished && isAiError(error) && error.code === "network")) throw error;
  }
  if (!assembler.isEnded) reader.finish();
};

/** Adds `/v1beta` to a base URL that has no version segment anywhere in its path. */
function streamUrl({ baseUrl, id }: Model): string {
  const trimmed = baseUrl.replace(/\/+$/, "");
  const root = /\/v\d+[a-z]*\d*(?:\/|$)/.test(trimmed) ? trimmed : `${trimmed}/v1beta`;
  const name = id.includes("/") ? id : `models/${id}`;
  return `${root}/${name}:streamGenerateContent?alt=sse`;
}
