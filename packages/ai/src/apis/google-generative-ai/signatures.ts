/** Signature of a thinking block that the server did not sign: the block goes back as a thought, without a signature. */
export const unsignedThought = "thought";

/** The documented stand-in for the signature of a call that another model made. Source: Gemini API, "Thought signatures". */
export const anyCallSignature = "skip_thought_signature_validator";

/** The signature as a field of a part; nothing where it is not one that the server can have made. */
export function signatureField(signature: string | undefined): { thoughtSignature?: string } {
  return signature !== undefined && isBase64(signature) ? { thoughtSignature: signature } : {};
}

function isBase64(text: string): boolean {
  return text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}
