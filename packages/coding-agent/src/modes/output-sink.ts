import type { LinePiece } from "../protocol/line-pieces.ts";

/** An ordered output for text. */
export interface ByteSink {
  /** Writes text. If the sink is full, the returned promise resolves when it has room again; it never rejects. */
  write(text: string): Promise<void> | undefined;
}

/** An ordered output for lines that consist of pieces. */
export interface PieceSink {
  /** Writes pieces; the caller must not change their bytes afterwards. Returns the same as `ByteSink.write`. */
  write(pieces: readonly LinePiece[]): Promise<void> | undefined;
}

/** The output of a protocol: file descriptor 1, or a stream. */
export interface OutputSink extends ByteSink, PieceSink {
  write(data: string | readonly LinePiece[]): Promise<void> | undefined;
  /** Resolves when the output is closed or has failed. */
  readonly closed: Promise<void>;
  /** The code of the system error of a failed write, such as ENOSPC; undefined if the reader has only closed its end. */
  readonly failure: string | undefined;
  /** Ends the output. Resolves when all data is passed to the operating system. */
  end(): Promise<void>;
}
