/** Fields in which servers send their thinking, in the order in which they are looked at: some send it under two names. */
export const reasoningFields = ["reasoning_content", "reasoning", "reasoning_text"] as const;

export type ReasoningField = (typeof reasoningFields)[number];

/** A thinking block of this api keeps the name of its field as signature, and goes back under it. */
export function isReasoningField(signature: string | undefined): signature is ReasoningField {
  return (reasoningFields as readonly (string | undefined)[]).includes(signature);
}
