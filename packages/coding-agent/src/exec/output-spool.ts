import { randomBytes } from "node:crypto";
import { createWriteStream, type WriteStream } from "node:fs";
import { unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { removeOldOutputs } from "./old-outputs.ts";

/** Raw bytes held in memory before a file is made, for output that is mostly escape sequences and so never gets truncated. */
const maxHeldBytes = 256 * 1024;
/** Bytes that may wait for the disk before the command is made to wait too. */
const maxWaitingBytes = 1024 * 1024;

/** What became of the full output. */
export interface SpooledOutput {
  /** Absolute path of the complete and closed file. */
  path?: string;
  /** Why there is none although one was wanted. */
  error?: string;
  /** The file ends before the output does: it has as many bytes as it may. */
  isCut?: true;
}

export interface OutputSpoolOptions {
  /** The disk has caught up, or failed: writing may go on. */
  onDrain(): void;
  /** What is stored at most. */
  maxBytes: number;
}

/**
 * Every byte of a command's output, up to a limit: in memory while it is short, else in a file of the system's temporary folder
 * that only the user can read (mode 0600) and whose name nobody can guess.
 */
export class OutputSpool {
  readonly #onDrain: () => void;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #file: WriteStream | undefined;
  #path = "";
  #failure: Error | undefined;
  #roomBytes: number;
  #isCut = false;
  #tidying: Promise<void> | undefined;

  constructor({ onDrain, maxBytes }: OutputSpoolOptions) {
    this.#onDrain = onDrain;
    this.#roomBytes = maxBytes;
  }

  /** @returns Whether more may come at once; if not, wait for `onDrain`. */
  write(bytes: Buffer): boolean {
    const chunk = bytes.subarray(0, this.#roomBytes);
    this.#roomBytes -= chunk.length;
    this.#isCut ||= chunk.length < bytes.length;
    if (this.#failure || chunk.length === 0) return true;
    if (this.#file) return this.#file.write(chunk);
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    return this.#heldBytes <= maxHeldBytes || this.spill();
  }

  /** Moves to a file. Does nothing when there is one. Returns what `write` returns. */
  spill(): boolean {
    if (this.#file) return true;
    const folder = tmpdir();
    this.#tidying = removeOldOutputs(folder);
    this.#path = join(folder, `pi-bash-${randomBytes(12).toString("hex")}.log`);
    this.#file = createWriteStream(this.#path, { flags: "wx", mode: 0o600, highWaterMark: maxWaitingBytes });
    this.#file.on("drain", this.#onDrain);
    this.#file.on("error", (error) => {
      this.#failure = error;
      this.#onDrain();
    });
    const held = Buffer.concat(this.#held);
    this.#held = [];
    return this.#file.write(held);
  }

  /** Closes the file; with `keep` false it is removed. Never rejects. */
  async finish(keep: boolean): Promise<SpooledOutput> {
    if (!this.#file) return {};
    this.#file.end();
    await finished(this.#file).catch((error: Error) => {
      this.#failure ??= error;
    });
    await this.#tidying;
    if (keep && !this.#failure) return { path: this.#path, ...(this.#isCut && { isCut: true }) };
    // It may not exist: opening it can be what failed.
    await unlink(this.#path).catch(() => undefined);
    return keep && this.#failure ? { error: this.#failure.message } : {};
  }
}
