import type { ResponseReasoningItem } from "openai/resources/responses/responses";
import { isTooDeep } from "../../nesting.ts";

/** The fields of a message item, besides its text, that are sent back. Stored as the signature of the text block. */
export interface MessageSignature {
  id?: string | undefined;
  /** Whether the text is a comment between tool calls or the final answer. */
  phase?: "commentary" | "final_answer" | undefined;
}

/** A reasoning item as the server sends it. */
export interface WireReasoningItem {
  id?: string | undefined;
  summary?: ({ text?: string } | null)[] | null | undefined;
  content?: ({ text?: string } | null)[] | null | undefined;
  encrypted_content?: string | null | undefined;
}

/** Serializes an item as the signature of its thinking block, without the fields that only the server may set. */
export function writeReasoning(item: WireReasoningItem): string | undefined {
  if (!item.id) return undefined;
  const content = textsOf(item.content).map((text) => ({ type: "reasoning_text" as const, text }));
  const clean: ResponseReasoningItem = {
    type: "reasoning",
    id: item.id,
    summary: textsOf(item.summary).map((text) => ({ type: "summary_text", text })),
    ...(content.length > 0 && { content }),
    ...(item.encrypted_content && { encrypted_content: item.encrypted_content }),
  };
  return JSON.stringify(clean);
}

/** The item to send back; undefined if it holds no thinking, summary or encrypted content. */
export function readReasoning(signature: string | undefined): ResponseReasoningItem | undefined {
  const item = tryParse(signature) as ResponseReasoningItem | undefined;
  if (item?.type !== "reasoning" || !Array.isArray(item.summary)) return undefined;
  return item.encrypted_content || item.summary.length > 0 || item.content?.length ? item : undefined;
}

export function writeMessageSignature({ id, phase }: MessageSignature): string | undefined {
  return id || phase ? JSON.stringify({ id, phase }) : undefined;
}

export function readMessageSignature(signature: string | undefined): MessageSignature {
  const { id, phase } = (tryParse(signature) ?? {}) as Record<string, unknown>;
  return {
    ...(typeof id === "string" && { id }),
    ...((phase === "commentary" || phase === "final_answer") && { phase }),
  };
}

/** The texts of an item's parts. Servers may omit a text or send null. */
export function textsOf(parts: ({ text?: string } | null)[] | null | undefined): string[] {
  return (parts ?? []).flatMap((part) => (part?.text ? [part.text] : []));
}

/** Undefined if the text is not a JSON object or is nested too deeply: signatures come from stored sessions. */
function tryParse(signature: string | undefined): object | undefined {
  try {
    const value: unknown = JSON.parse(signature ?? "");
    return typeof value === "object" && value !== null && !isTooDeep(value) ? value : undefined;
  } catch {
    return undefined; // not JSON
  }
}
