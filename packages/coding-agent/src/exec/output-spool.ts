import { randomBytes } from "node:crypto";
import { createWriteStream, type WriteStream } from "node:fs";
import { unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { removeOldOutputs } from "./old-outputs.ts";

/** Maximum raw bytes in memory before a file is created. For output with many escape sequences, whose text is too short for truncation. */
const maxHeldBytes = 256 * 1024;
/** Maximum bytes that wait for the disk before the command is paused. */
const maxWaitingBytes = 1024 * 1024;

/** The place of the full output. */
export interface SpooledOutput {
  /** Absolute path of the complete and closed file. */
  path?: string;
  /** The reason why the file could not be written. */
  error?: string;
  /** Whether the file has reached its maximum size and lacks the end of the output. */
  isCut?: true;
}

export interface OutputSpoolOptions {
  /** Called when writing may continue: the waiting bytes are written, or the file has failed. */
  onDrain(): void;
  /** Maximum bytes to store. */
  maxBytes: number;
}

/**
 * Stores the raw output of a command, up to a limit: in memory while it is short, otherwise in a file in the system's temporary folder. Only
 * the user can read the file (mode 0600), and its name is random.
 */
export class OutputSpool {
  readonly #onDrain: () => void;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #file: WriteStream | undefined;
  #path = "";
  #isOurs = false;
  #failure: Error | undefined;
  #roomBytes: number;
  #isCut = false;
  #tidying: Promise<void> | undefined;

  constructor({ onDrain, maxBytes }: OutputSpoolOptions) {
    this.#onDrain = onDrain;
    this.#roomBytes = maxBytes;
  }

  /** @returns Whether the caller may continue at once; otherwise it waits for `onDrain`. */
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

  /** Moves the output to a file, if it is not in one yet. Returns the same as `write`. */
  spill(): boolean {
    if (this.#file) return true;
    const folder = tmpdir();
    this.#tidying = removeOldOutputs(folder);
    this.#path = join(folder, `pi-bash-${randomBytes(12).toString("hex")}.log`);
    this.#file = createWriteStream(this.#path, { flags: "wx", mode: 0o600, highWaterMark: maxWaitingBytes });
    this.#file.once("open", () => {
      this.#isOurs = true;
    });
    this.#file.on("drain", this.#onDrain);
    this.#file.on("error", (error) => {
      this.#failure = error;
      this.#onDrain();
    });
    const held = Buffer.concat(this.#held);
    this.#held = [];
    return this.#file.write(held);
  }

  /** Closes the file, and removes it if `keep` is false. Never rejects. */
  async finish(keep: boolean): Promise<SpooledOutput> {
    if (!this.#file) return {};
    this.#file.end();
    await finished(this.#file).catch((error: Error) => {
      this.#failure ??= error;
    });
    await this.#tidying;
    if (keep && !this.#failure) return { path: this.#path, ...(this.#isCut && { isCut: true }) };
    // If opening it failed, there is no file, or one of another program.
    if (this.#isOurs) await unlink(this.#path).catch(() => undefined);
    return keep && this.#failure ? { error: this.#failure.message } : {};
  }
}
