import type { AgentMessage } from "@pikit/agent";
import { longestOutput, shorten, writeMessage } from "./conversation-text.ts";

/** Maximum requests for one summary. */
const mostChunks = 8;

/** The shortest length of cut outputs, in characters. Beyond it, messages are left out. */
const shortestOutput = 125;

/**
 * Formats messages in chunks, each for one request. If there are more than `mostChunks`, outputs are cut shorter. If that is not enough,
 * the longest messages are shortened and the oldest are left out.
 *
 * @param chunkBytes - Maximum UTF-8 bytes of a chunk.
 */
export function fitConversation(messages: readonly AgentMessage[], chunkBytes: number): string[][] {
  let chunks: string[][] = [];
  for (let longest = longestOutput; longest >= shortestOutput; longest /= 2) {
    chunks = pack(messages.map((message) => writeMessage(message, longest)).filter(Boolean), chunkBytes);
    if (chunks.length <= mostChunks) return chunks;
  }
  const room = mostChunks * chunkBytes;
  const texts = chunks.flat();
  const longestText = Math.max(200, Math.floor(room / Math.max(1, texts.length)));
  const shortened = texts.map((text) => shortenElement(text, longestText));
  chunks = pack(shortened, chunkBytes);
  if (chunks.length <= mostChunks) return chunks;
  const kept = chunks.slice(-mostChunks);
  kept[0]?.unshift(`<omitted>${shortened.length - kept.flat().length} older messages are left out.</omitted>`);
  return kept;
}

/** Fills chunks one after another. A text that is longer than a chunk is shortened. */
function pack(texts: readonly string[], chunkBytes: number): string[][] {
  const chunks: string[][] = [];
  let room = 0;
  for (const text of texts) {
    // A UTF-16 code unit has up to three UTF-8 bytes.
    const fitting = byteLength(text) > chunkBytes ? shortenElement(text, Math.floor(chunkBytes / 3)) : text;
    const bytes = byteLength(fitting) + 2;
    if (bytes > room) {
      chunks.push([]);
      room = chunkBytes;
    }
    chunks.at(-1)?.push(fitting);
    room -= bytes;
  }
  return chunks;
}

/** Shortens the text between the first and the last line, which are the tags of the element. */
function shortenElement(text: string, longest: number): string {
  const first = text.indexOf("\n");
  const last = text.lastIndexOf("\n");
  if (text.length <= longest || first === last) return text;
  const start = text.slice(0, first + 1);
  const end = text.slice(last);
  return start + shorten(text.slice(first + 1, last), Math.max(0, longest - start.length - end.length - 40)) + end;
}

function byteLength(text: string): number {
  return Buffer.byteLength(text, "utf8");
}
