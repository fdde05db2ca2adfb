/** The frames that have left the ring are removed from the array when there are this many of them. */
const compactAt = 256;

/**
 * Numbers the frames of a session and keeps the latest of them as JSON, so that a client that was cut off gets what it missed. After
 * `trim` it has at most `maxLength` characters, or one frame.
 */
export class FrameRing {
  readonly epoch: string;
  readonly #maxLength: number;
  /** The frames; those before `#head` are gone. */
  #frames: string[] = [];
  #head = 0;
  #length = 0;
  #last = 0;

  constructor(epoch: string, maxLength: number) {
    this.epoch = epoch;
    this.#maxLength = maxLength;
  }

  /** The number of the latest frame; 0 before the first one. */
  get last(): number {
    return this.#last;
  }

  /** The number of the oldest frame that is held. */
  get first(): number {
    return this.#last - (this.#frames.length - this.#head) + 1;
  }

  /**
   * Adds a frame with its epoch and number.
   *
   * @param json - An object with at least one field.
   * @returns The number of the frame.
   */
  append(json: string): number {
    this.#last += 1;
    const frame = `${json.slice(0, -1)},"epoch":"${this.epoch}","seq":${this.#last}}`;
    this.#frames.push(frame);
    this.#length += frame.length;
    return this.#last;
  }

  /** Drops the oldest frames until the rest is within the limit. Called when the clients that keep up have got the latest frames. */
  trim(): void {
    while (this.#length > this.#maxLength && this.#head < this.#frames.length - 1) {
      this.#length -= this.#frames[this.#head]?.length ?? 0;
      this.#frames[this.#head] = "";
      this.#head += 1;
    }
    if (this.#head >= compactAt && this.#head * 2 > this.#frames.length) {
      this.#frames = this.#frames.slice(this.#head);
      this.#head = 0;
    }
  }

  /** Whether every frame after this number is held. */
  holdsAfter(seq: number): boolean {
    return seq >= this.first - 1 && seq <= this.#last;
  }

  /** The frame with this number, which is held. */
  at(seq: number): string {
    return this.#frames[this.#head + seq - this.first] ?? "";
  }

  /**
   * The frames after `seq` up to `until`, which are held. Stops after the frame with which they have `maxLength` characters.
   */
  between(seq: number, until: number, maxLength: number): string[] {
    const frames: string[] = [];
    let length = 0;
    for (let next = seq + 1; next <= until && length < maxLength; next += 1) {
      const frame = this.at(next);
      length += frame.length;
      frames.push(frame);
    }
    return frames;
  }
}
