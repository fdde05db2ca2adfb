import { deflateRaw } from "node:zlib";
import { encodeLine } from "../protocol/jsonl.ts";
import type { SessionEntry } from "./entries.ts";
import { PackedEntry } from "./packed-entries.ts";

/** Characters of JSON per portion: enough for a good compression, and few enough to read one entry fast. */
const portionLength = 256 * 1024;

/** Minimum characters for packing; below this it does not pay. */
const leastLength = 16 * 1024;

/**
 * Packs entries that are not needed soon. Text shrinks to a third or a tenth of its size, and images, which are already compressed, to three
 * quarters. The compression runs outside the event loop.
 *
 * @param onPacked - Called with each packed entry, portion by portion. A few short entries at the end stay unpacked.
 */
export async function packEntries(
  entries: Iterable<SessionEntry>,
  onPacked: (entry: SessionEntry, packed: PackedEntry) => void,
): Promise<void> {
  let portion: SessionEntry[] = [];
  let text = "";
  const pack = async () => {
    const packed = portion;
    // A copy, because the result may be a view of a larger buffer.
    const data = new Uint8Array(await deflate(text));
    for (const [line, entry] of packed.entries()) onPacked(entry, new PackedEntry(data, line));
  };
  for (const entry of entries) {
    portion.push(entry);
    text += encodeLine(entry);
    if (text.length < portionLength) continue;
    await pack();
    portion = [];
    text = "";
  }
  if (text.length >= leastLength) await pack();
}

/** The fastest level: the default level takes twice the time to save another sixth of the space. */
const level = 1;

function deflate(text: string): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    deflateRaw(text, { level }, (error, data) => (error ? reject(error) : resolve(data)));
  });
}
