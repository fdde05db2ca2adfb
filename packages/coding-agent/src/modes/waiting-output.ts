/** Maximum characters of a command's output that wait for a slow reader; older output is dropped. */
const maxWaiting = 1024 * 1024;
/** Text is appended to a piece up to this length, so that byte-by-byte output does not become a list of bytes. */
const pieceLength = 4096;
/** The memory of a piece in addition to its characters. */
const pieceOverhead = 128;

/** Replaces the dropped beginning of an output, on its own line. */
export const omission = "\n[some output was left out here]\n";

/** A piece of a command's output, from one stream. */
export interface OutputPiece<Stream> {
  stream: Stream;
  text: string;
}

/**
 * Holds the end of a command's output while the reader is slow. Its memory is bounded, even if the streams alternate. It keeps the pieces
 * apart, because one text that is extended and cut repeatedly would create megabytes of garbage for each megabyte of output.
 */
export class WaitingOutput<Stream> {
  #pieces: OutputPiece<Stream>[] = [];
  #size = 0;
  #isCut = false;

  add(text: string, stream: Stream): void {
    const last = this.#pieces.at(-1);
    if (last && last.stream === stream && last.text.length < pieceLength) last.text += text;
    else {
      this.#pieces.push({ stream, text });
      this.#size += pieceOverhead;
    }
    this.#size += text.length;
    while (this.#size > maxWaiting && this.#pieces.length > 1) {
      this.#size -= (this.#pieces.shift()?.text.length ?? 0) + pieceOverhead;
      this.#isCut = true;
    }
  }

  /** Returns the held output, with consecutive pieces of one stream joined. The first piece begins with `omission` if output was dropped. */
  read(): OutputPiece<Stream>[] {
    const joined: OutputPiece<Stream>[] = [];
    for (const { stream, text } of this.#pieces) {
      const last = joined.at(-1);
      if (last && last.stream === stream) last.text += text;
      else joined.push({ stream, text: joined.length === 0 && this.#isCut ? omission + text : text });
    }
    return joined;
  }
}
