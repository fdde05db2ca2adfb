import { createHash } from "node:crypto";

/** Maximum number of answered commands that are remembered. */
const maxRemembered = 1000;
/** Maximum characters of their responses; the latest one is always remembered. */
const maxRememberedLength = 4 * 1024 * 1024;
/** Maximum number of commands without a response. */
const maxOpen = 1000;

/** A response as it was sent. */
export type Answer = ShortAnswer | LongAnswer;

interface ShortAnswer {
  /** The JSON of the response. */
  json: string;
  /** The number of the frame after which it comes. */
  after: number;
}

/** The response to a command that only reads, too long to be in memory as one text. */
interface LongAnswer {
  /** The response, which is encoded while it is written. It does not change. */
  record: object;
  /** The number of the frame after which it comes. */
  after: number;
}

type OnAnswer = (answer: Answer) => void;

interface OpenCommand {
  fingerprint: string;
  waiting: OnAnswer[];
}

interface AnsweredCommand {
  fingerprint: string;
  /** Undefined after a long answer, which is not kept: the command reads again. */
  answer: ShortAnswer | undefined;
}

/** A key was used with another command before. */
export class KeyReusedError extends Error {
  constructor() {
    super("This key was sent with another command. Use a new key for each command.");
  }
}

/** Too many commands have no response yet. */
export class TooManyCommandsError extends Error {
  constructor() {
    super(`The session has ${maxOpen} commands without a response. Wait for some of them.`);
  }
}

/**
 * Runs each command once. A command that is sent again with its key, because its connection was cut, gets the response of the first one. The
 * latest answered commands are remembered. A command that only reads runs again if its response was long.
 */
export class CommandLog {
  readonly #open = new Map<string, OpenCommand>();
  /** By key, the latest last. */
  readonly #answered = new Map<string, AnsweredCommand>();
  #answeredLength = 0;
  #openCount = 0;

  /** The number of commands without a response. */
  get openCount(): number {
    return this.#openCount;
  }

  /**
   * Starts a command, unless it was started before with the same key.
   *
   * @param key - Undefined for a command that is not remembered.
   * @param start - Starts it, and calls its argument with the answer.
   * @param onAnswer - Called once with the answer; at once if the command was answered before.
   * @throws {KeyReusedError} When the key was used with another command.
   * @throws {TooManyCommandsError}
   */
  run(key: string | undefined, command: object, start: (onAnswered: OnAnswer) => void, onAnswer: OnAnswer): void {
    if (key === undefined) {
      this.#begin();
      start((answer) => {
        this.#openCount -= 1;
        onAnswer(answer);
      });
      return;
    }
    const fingerprint = toFingerprint(command);
    const open = this.#open.get(key);
    const answered = this.#answered.get(key);
    const known = open ?? answered;
    if (known && known.fingerprint !== fingerprint) throw new KeyReusedError();
    if (open) {
      open.waiting.push(onAnswer);
      return;
    }
    if (answered?.answer) {
      onAnswer(answered.answer);
      return;
    }
    this.#begin();
    const entry: OpenCommand = { fingerprint, waiting: [onAnswer] };
    this.#open.set(key, entry);
    start((answer) => {
      this.#openCount -= 1;
      this.#open.delete(key);
      this.#remember(key, { fingerprint, answer: "json" in answer ? answer : undefined });
      for (const tell of entry.waiting) tell(answer);
    });
  }

  #begin(): void {
    if (this.#openCount >= maxOpen) throw new TooManyCommandsError();
    this.#openCount += 1;
  }

  #remember(key: string, command: AnsweredCommand): void {
    this.#forget(key);
    this.#answered.set(key, command);
    this.#answeredLength += lengthOf(command);
    for (const oldest of this.#answered.keys()) {
      const isWithinLimits = this.#answered.size <= maxRemembered && this.#answeredLength <= maxRememberedLength;
      if (isWithinLimits || oldest === key) return;
      this.#forget(oldest);
    }
  }

  #forget(key: string): void {
    const known = this.#answered.get(key);
    if (!known) return;
    this.#answered.delete(key);
    this.#answeredLength -= lengthOf(known);
  }
}

/** The length of what is kept, in characters. */
function lengthOf({ answer }: AnsweredCommand): number {
  return answer?.json.length ?? 0;
}

/** Tells two commands apart without keeping their texts, which may be large. */
function toFingerprint(command: object): string {
  // A client that repeats a command may be in another span by then.
  const { traceparent: _parent, tracestate: _state, ...rest } = command as Record<string, unknown>;
  return createHash("sha256").update(JSON.stringify(rest)).digest("base64");
}
