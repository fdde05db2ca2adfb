/** The fields for thinking on the wire. The first one with text is read, because some servers send the same text in two. */
export const reasoningFields = ["reasoning_content", "reasoning", "reasoning_text"] as const;

export type ReasoningField = (typeof reasoningFields)[number];

/** A thinking block of this api has the name of its field as signature, and is sent back in that field. */
export function isReasoningField(signature: string | undefined): signature is ReasoningField {
  return (reasoningFields as readonly (string | undefined)[]).includes(signature);
}
