import type { RE2Set } from "re2js";
import { SessionError } from "../../errors.ts";

/** A state of the set's automaton. */
interface State {
  nfaStates: ArrayLike<number>;
  /** Whether patterns matched up to the previous character. Matches come one character late, because `$` and `\b` depend on it. */
  isMatch: boolean;
  matchIDs: readonly number[];
  next: (State | null)[] | null;
}

/** The parts of re2js's automaton for reading a text in pieces. Its own `match` needs the whole text at once. */
interface Automaton {
  prog: { getInst(index: number): { op: number; arg: number } };
  numClasses: number;
  start(input: { context(position: number): number }, position: number): State | null;
  runeClass(codePoint: number): number;
  /** Returns null if the cache of states is full. */
  step(state: State, runeClass: number, codePoint: number, anchor: number): State | null;
  resetCache(state: State): State | null;
}

/** The `op` of a match instruction, whose `arg` is the pattern's index; `Inst.MATCH` in re2js. */
const matchOp = 6;
/** The code point that marks the end of the text. */
const endOfText = -1;
const unanchored = 0;
/** The context at the beginning of the text, which is also the beginning of a line. */
const beginning = { context: () => -1 };

/** Searches a text for all patterns in one pass, in linear time for any patterns. */
export class PatternSet {
  readonly #automaton: Automaton;

  private constructor(automaton: Automaton) {
    this.#automaton = automaton;
  }

  /**
   * @param patterns - Regular expressions, each with a name for errors. The JavaScript syntax of escapes and groups is accepted.
   * @throws {SessionError} `invalid_input` when a pattern is malformed, needs more than linear time, or matches the empty text.
   */
  static async compile(patterns: readonly { name: string; pattern: string }[]): Promise<PatternSet> {
    // Loaded on demand: most sessions have no rules.
    const { RE2JS, RE2Set } = await import("re2js");
    const set: RE2Set = new RE2Set();
    for (const { name, pattern } of patterns) {
      let isTooWide: boolean;
      try {
        const translated = RE2JS.translateRegExp(pattern);
        isTooWide = RE2JS.compile(translated).test("");
        set.add(translated);
      } catch (cause) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        const syntax = "Expected RE2 syntax, which has no look-around and no back-references.";
        throw new SessionError("invalid_input", `The trigger of the rule "${name}" cannot be used: ${reason}. ${syntax}`, {
          cause,
        });
      }
      if (isTooWide) {
        const advice = "Change it so that it needs at least one character.";
        throw new SessionError(
          "invalid_input",
          `The trigger of the rule "${name}" matches the empty text, and so every answer. ${advice}`,
        );
      }
    }
    set.compile();
    return new PatternSet(set.dfa);
  }

  /** Starts the search of a text. */
  begin(): TextScanner {
    return new TextScanner(this.#automaton);
  }
}

/**
 * Searches a text that arrives in pieces for the patterns. Only a state of the automaton is kept between pieces. So the time for a piece
 * depends on its length only, and the result does not depend on how the text is divided.
 */
export class TextScanner {
  readonly #automaton: Automaton;
  #state: State | null;
  /** The first half of a surrogate pair whose second half has not arrived. */
  #half = "";
  #matched = new Set<number>();

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
    this.#state = automaton.start(beginning, 0);
  }

  /** @returns The indexes of all patterns that have matched so far, including this piece. */
  append(piece: string): ReadonlySet<number> {
    const text = this.#half + piece;
    const isCut = isHighSurrogate(text.charCodeAt(text.length - 1));
    const length = isCut ? text.length - 1 : text.length;
    this.#half = isCut ? text.slice(-1) : "";
    for (let index = 0; index < length; index += 1) {
      const codePoint = text.codePointAt(index) as number;
      if (codePoint > 0xffff) index += 1;
      this.#advance(this.#automaton.runeClass(codePoint), codePoint);
    }
    if (this.#state) this.#addCertain(this.#state);
    return this.#matched;
  }

  /** Ends the text, so that `$` can match. */
  end(): ReadonlySet<number> {
    if (this.#half !== "") this.#advance(this.#automaton.runeClass(this.#half.charCodeAt(0)), this.#half.charCodeAt(0));
    this.#half = "";
    this.#advance(this.#automaton.numClasses, endOfText);
    return this.#matched;
  }

  #advance(runeClass: number, codePoint: number): void {
    const from = this.#state;
    if (!from) return;
    const to = from.next?.[runeClass] ?? this.#makeStep(from, runeClass, codePoint);
    this.#state = to;
    if (to?.isMatch) for (const id of to.matchIDs) this.#matched.add(id);
  }

  #makeStep(from: State, runeClass: number, codePoint: number): State | null {
    const to = this.#automaton.step(from, runeClass, codePoint, unanchored);
    if (to) return to;
    // The cache is full: it is cleared. The time of a step is still limited by the size of the patterns.
    const kept = this.#automaton.resetCache(from);
    return kept && this.#automaton.step(kept, runeClass, codePoint, unanchored);
  }

  /** Adds the matches that do not depend on the next character, so that an answer is stopped as early as possible. */
  #addCertain(state: State): void {
    for (let index = 0; index < state.nfaStates.length; index += 1) {
      const instruction = this.#automaton.prog.getInst(state.nfaStates[index] as number);
      if (instruction.op === matchOp) this.#matched.add(instruction.arg);
    }
  }
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
