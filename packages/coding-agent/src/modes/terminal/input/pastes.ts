import { toTerminalText } from "../../terminal-text.ts";

const startMark = "\x1b[200~";
const endMark = "\x1b[201~";
/** The marker that the library shows in place of a long pasted text. */
const markerPattern = /\[paste #\d+ (?:\+\d+ lines|\d+ chars)\]/g;

/** A text in the editor, and the pasted texts by the markers that stand for them. */
export interface Draft {
  text: string;
  pastes: ReadonlyMap<string, string>;
}

/** A part of a draft. */
export interface DraftPart {
  text: string;
  isPaste: boolean;
}

/** The text of a bracketed paste; undefined for other keys. */
export function pastedText(key: string): string | undefined {
  if (!key.startsWith(startMark) || !key.endsWith(endMark)) return undefined;
  return cleanText(key.slice(startMark.length, -endMark.length));
}

/** A bracketed paste, as a terminal sends it. */
export function toPaste(text: string): string {
  return `${startMark}${text}${endMark}`;
}

/** Removes control sequences. Line ends become LF, as terminals send CR for them in a paste. */
export function cleanText(text: string): string {
  return toTerminalText(text.replace(/\r\n?/g, "\n"));
}

/** Puts the pasted texts in place of their markers. */
export function expandDraft({ text, pastes }: Draft): string {
  return pastes.size === 0 ? text : text.replace(markerPattern, (marker) => pastes.get(marker) ?? marker);
}

/** The parts of a draft: text as it is, and pasted texts. */
export function splitDraft({ text, pastes }: Draft): DraftPart[] {
  const parts: DraftPart[] = [];
  let end = 0;
  for (const { 0: marker, index } of text.matchAll(markerPattern)) {
    const pasted = pastes.get(marker);
    if (pasted === undefined) continue;
    if (index > end) parts.push({ text: text.slice(end, index), isPaste: false });
    parts.push({ text: pasted, isPaste: true });
    end = index + marker.length;
  }
  if (end < text.length) parts.push({ text: text.slice(end), isPaste: false });
  return parts;
}

/** The marker that a paste has added between two texts before the cursor; undefined if it has added the text itself. */
export function addedMarker(before: string, after: string, pasted: string): string | undefined {
  const added = after.slice(before.length).trim();
  const marker = added.match(markerPattern)?.[0];
  return after.startsWith(before) && marker === added && pasted.trim() !== marker ? marker : undefined;
}

/** Longer lines slow the editor down: it wraps the whole line again with each key. */
const maxLineLength = 2000;
const maxLines = 1000;
const maxLength = 50_000;

/** Whether the editor shows a text as a pasted one, because it is too large to be edited there. */
export function isLarge(text: string): boolean {
  if (text.length > maxLength) return true;
  const lines = text.split("\n");
  return lines.length > maxLines || lines.some((line) => line.length > maxLineLength);
}
