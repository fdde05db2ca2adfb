import { AiError } from "../errors.ts";
import { cleanText } from "../provider-text.ts";
import type { Model } from "../types.ts";

/** What ends OpenAI-style streams, and those of servers and gateways that speak other wires in OpenAI's manner. */
export const endMarker = "[DONE]";

/**
 * Parses the data of one event; undefined for the marker that ends OpenAI-style streams and for data that is no object.
 *
 * @throws {AiError} `bad_response` when the data is no JSON, as at a place where the stream was cut.
 */
export function readWireEvent<T extends object>(data: string, provider: string): T | undefined {
  if (data === endMarker) return undefined;
  try {
    const event: unknown = JSON.parse(data);
    return typeof event === "object" && event !== null ? (event as T) : undefined;
  } catch (cause) {
    const excerpt = cleanText(data.slice(0, 200));
    throw new AiError("bad_response", `${provider} sent an event that is no JSON: ${excerpt}`, { cause });
  }
}

/** The error of an answer that ended for a reason we do not know. The answer was complete, so asking again gives another like it. */
export function unknownStopReason(reason: string, model: Model): AiError {
  const text = cleanText(reason);
  return new AiError("bad_response", `${model.provider} ended the answer for an unknown reason: ${text}`, { retryable: false });
}
