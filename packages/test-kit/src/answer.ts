import type { ProviderResponse, ResponseStep } from "./response.ts";

/** A block of a scripted answer, for every wire. Each string is one delta. */
export type AnswerBlock =
  | { text: string | string[] }
  | { thinking: string | string[]; signature?: string }
  | { toolCall: string; arguments?: unknown; id?: string; deltas?: string[] };

/** The end and the usage of a scripted answer. */
export interface AnswerOptions {
  /** The wire's own value. Default: the value for tool calls if a block is one, otherwise for a normal end. */
  stopReason?: string;
  /** Tokens as in `Usage`: `input` excludes cache reads and writes. Default: input 10, output 5. */
  usage?: { input?: number; output?: number; cacheRead?: number; cacheWrite?: number };
  /** Replaces everything after the last block, for example with `[cut]`. */
  ending?: readonly ResponseStep[];
}

/** Builds responses of one wire protocol. */
export interface Wire {
  /** An answer with these blocks, in order. */
  answer(blocks: AnswerBlock[], options?: AnswerOptions): ProviderResponse;
  /** An answer with one text block, with one delta per word. */
  text(text: string, options?: AnswerOptions): ProviderResponse;
  /** An answer with one tool call. */
  toolCall(name: string, args?: Record<string, unknown>, options?: AnswerOptions & { id?: string }): ProviderResponse;
  /** Raw wire events, for answers that the methods above cannot build. */
  events(events: unknown[], ending?: readonly ResponseStep[]): ProviderResponse;
  /** An error response with a body in the provider's format. */
  error(status: number, message: string, options?: { type?: string; headers?: Record<string, string> }): ProviderResponse;
}

export const eventStreamHeaders: Readonly<Record<string, string>> = { "content-type": "text/event-stream; charset=utf-8" };

/** Adds the methods that are the same for every wire. */
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

/** The argument deltas of a call: as given, or two halves, so that a reader must join them. */
export function argumentDeltas(block: { arguments?: unknown; deltas?: string[] }): string[] {
  if (block.deltas) return block.deltas;
  const text = JSON.stringify(block.arguments ?? {});
  const middle = Math.floor(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
