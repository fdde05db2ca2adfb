/** Characters of a command's output that may wait for a slow reader; what comes before them is left out. */
const maxWaiting = 1024 * 1024;
/** A piece takes more until it is this long, so that output that comes byte by byte does not become a list of bytes. */
const pieceLength = 4096;
/** What a piece costs beside its characters. */
const pieceOverhead = 128;

/** Stands where the beginning of an output was; lines of its own. */
export const omission = "\n[some output was left out here]\n";

/** Output that one command wrote to one stream. */
export interface OutputPiece<Stream> {
  stream: Stream;
  text: string;
}

/**
 * The end of a command's output, while a slow reader takes nothing. Its memory is bounded, also when the streams take turns. The pieces
 * stay as they came, since a text that grows and is cut over and over would leave megabytes of garbage for each that is read.
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

  /** What there is, neighbours of one stream as one. The first says so if something before it was left out. */
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
