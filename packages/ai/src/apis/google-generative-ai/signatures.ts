/** Our signature of a thinking block that the server did not sign. The block is sent back as a thought without a signature. */
export const unsignedThought = "thought";

/** The documented placeholder for the signature of another model's call. Source: Gemini API, "Thought signatures". */
export const anyCallSignature = "skip_thought_signature_validator";

/** The signature as a field of a part; empty if the text is not base64, which every signature of the server is. */
export function signatureField(signature: string | undefined): { thoughtSignature?: string } {
  return signature !== undefined && isBase64(signature) ? { thoughtSignature: signature } : {};
}

function isBase64(text: string): boolean {
  return text.length > 0 && text.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(text);
}
