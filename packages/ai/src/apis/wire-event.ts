import { AiError } from "../errors.ts";
import { cleanText } from "../provider-text.ts";
import type { Model } from "../types.ts";

/** The end marker of OpenAI's streams. Some gateways send it on other wires too. */
export const endMarker = "[DONE]";

/**
 * Parses the data of one event. Returns undefined for the end marker and for JSON that is not an object.
 *
 * @throws {AiError} `bad_response` when the data is not JSON, for example because the stream was cut.
 */
export function readWireEvent<T extends object>(data: string, provider: string): T | undefined {
  if (data === endMarker) return undefined;
  try {
    const event: unknown = JSON.parse(data);
    return typeof event === "object" && event !== null ? (event as T) : undefined;
  } catch (cause) {
    const excerpt = cleanText(data.slice(0, 200));
    throw new AiError("bad_response", `${provider} sent an event that is not JSON: ${excerpt}`, { cause });
  }
}

/** The error for an unknown stop reason. Not retryable: the answer was complete, and another one would end in the same way. */
export function unknownStopReason(reason: string, model: Model): AiError {
  const text = cleanText(reason);
  return new AiError("bad_response", `${model.provider} ended the answer for an unknown reason: ${text}`, { retryable: false });
}
