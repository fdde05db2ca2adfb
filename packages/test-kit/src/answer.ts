import type { ProviderResponse, ResponseStep } from "./response.ts";

/** A block of a scripted answer, the same for every wire. Several strings are several deltas. */
export type AnswerBlock =
  | { text: string | string[] }
  | { thinking: string | string[]; signature?: string }
  | { toolCall: string; arguments?: unknown; id?: string; deltas?: string[] };

/** How a scripted answer ends and what it cost. */
export interface AnswerOptions {
  /** As the wire spells it. Default: what the blocks suggest. */
  stopReason?: string;
  /** Tokens with this project's meaning: `input` is without cache reads and writes. Default 10 in, 5 out. */
  usage?: { input?: number; output?: number; cacheRead?: number; cacheWrite?: number };
  /** Sent in the place of everything from the end of the last block on, such as `[cut]`. */
  ending?: readonly ResponseStep[];
}

/** Builds responses of one wire protocol. */
export interface Wire {
  /** An answer of these blocks, in order. */
  answer(blocks: AnswerBlock[], options?: AnswerOptions): ProviderResponse;
  /** An answer of one text, cut into words. */
  text(text: string, options?: AnswerOptions): ProviderResponse;
  /** An answer of one tool call. */
  toolCall(name: string, args?: Record<string, unknown>, options?: AnswerOptions & { id?: string }): ProviderResponse;
  /** Wire events as they are, for what the builders above cannot say. */
  events(events: unknown[], ending?: readonly ResponseStep[]): ProviderResponse;
  /** An error response with a body in the provider's form. */
  error(status: number, message: string, options?: { type?: string; headers?: Record<string, string> }): ProviderResponse;
}

export const eventStreamHeaders: Readonly<Record<string, string>> = { "content-type": "text/event-stream; charset=utf-8" };

/** The convenience members, which are the same for every wire. */
export function createWire(parts: Pick<Wire, "answer" | "events" | "error">): Wire {
  return {
    ...parts,
    text: (text, options) => parts.answer([{ text: text.match(/\s*\S+/g) ?? [text] }], options),
    toolCall: (name, args = {}, { id, ...options } = {}) =>
      parts.answer([{ toolCall: name, arguments: args, ...(id !== undefined && { id }) }], options),
  };
}

export function toDeltas(text: string | string[]): string[] {
  return Array.isArray(text) ? text : [text];
}

/** The argument text of a call in pieces: as given, or in two halves, so that a reader has to join them. */
export function argumentDeltas(block: { arguments?: unknown; deltas?: string[] }): string[] {
  if (block.deltas) return block.deltas;
  const text = JSON.stringify(block.arguments ?? {});
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
