import type { ByteSink, PieceSink } from "../../src/modes/output-sink.ts";
import type { LinePiece } from "../../src/protocol/line-pieces.ts";
import type { WireRecord } from "./rpc-process.ts";

/** A reader that takes each piece only when told to, or at once while it is open. */
export class SlowSink implements ByteSink, PieceSink {
  /** What has been written so far. */
  text = "";
  /** The longest piece, in characters. */
  longestWrite = 0;
  isOpen: boolean;
  #release: (() => void) | undefined;

  constructor(isOpen = false) {
    this.isOpen = isOpen;
  }

  write(data: string | readonly LinePiece[]): Promise<void> | undefined {
    const text = typeof data === "string" ? data : decodePieces(data);
    this.text += text;
    this.longestWrite = Math.max(this.longestWrite, text.length);
    if (this.isOpen) return undefined;
    return new Promise((resolve) => {
      this.#release = resolve;
    });
  }

  /** Asks for the next piece, if one is being waited for. */
  release(): void {
    const release = this.#release;
    this.#release = undefined;
    release?.();
  }

  /** Takes everything from now on. */
  open(): void {
    this.isOpen = true;
    this.release();
  }

  /** The records so far; fails when a line is torn. */
  get records(): WireRecord[] {
    const lines = this.text.split("\n");
    if (lines.pop() !== "") throw new Error("the output ends within a line");
    return lines.map((line) => JSON.parse(line) as WireRecord);
  }
}

/** The text that pieces of a line make up. */
export function decodePieces(pieces: readonly LinePiece[]): string {
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece as string))).toString();
}
