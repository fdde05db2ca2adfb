import type { RE2Set } from "re2js";
import { SessionError } from "../../errors.ts";

/** Where the set's automaton stands in a text. */
interface State {
  nfaStates: ArrayLike<number>;
  /** Whether patterns matched up to the character before the one that led here: only that one decides about `$` and `\b`. */
  isMatch: boolean;
  matchIDs: readonly number[];
  next: (State | null)[] | null;
}

/** The parts of re2js's automaton that are needed to feed it a text in pieces; its own `match` wants the whole text at once. */
interface Automaton {
  prog: { getInst(index: number): { op: number; arg: number } };
  numClasses: number;
  start(input: { context(position: number): number }, position: number): State | null;
  runeClass(codePoint: number): number;
  /** Null when the cache of states is full. */
  step(state: State, runeClass: number, codePoint: number, anchor: number): State | null;
  resetCache(state: State): State | null;
}

/** The `op` of an instruction at which pattern number `arg` has matched; `Inst.MATCH` in re2js. */
const matchOp = 6;
/** The code point that stands for the end of the text. */
const endOfText = -1;
const unanchored = 0;
/** Nothing is before the text: it is the beginning of a line and of everything. */
const beginning = { context: () => -1 };

/** Patterns that are looked for in one pass, in time linear in the text, whatever the patterns are. */
export class PatternSet {
  readonly #automaton: Automaton;

  private constructor(automaton: Automaton) {
    this.#automaton = automaton;
  }

  /**
   * @param patterns - Regular expressions by the name that an error shows; JavaScript's spelling of escapes and groups is understood.
   * @throws {SessionError} `invalid_input` when one is malformed, needs more than linear time, or matches the empty text.
   */
  static async compile(patterns: readonly { name: string; pattern: string }[]): Promise<PatternSet> {
    // Loaded here: most sessions have no rules.
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
        const advice = "Make it ask for at least one character.";
        throw new SessionError(
          "invalid_input",
          `The trigger of the rule "${name}" matches the empty text, so every answer. ${advice}`,
        );
      }
    }
    set.compile();
    return new PatternSet(set.dfa);
  }

  /** Begins a text. */
  begin(): TextScanner {
    return new TextScanner(this.#automaton);
  }
}

/**
 * Looks for the patterns in a text that comes in pieces. All that is kept between two pieces is a state of the automaton, so a piece costs
 * by its own length, and however the text is cut, the same patterns match as in the whole text.
 */
export class TextScanner {
  readonly #automaton: Automaton;
  #state: State | null;
  /** The first half of a character whose second half has not come. */
  #half = "";
  #matched = new Set<number>();

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
    this.#state = automaton.start(beginning, 0);
  }

  /** @returns The numbers of all patterns that have matched so far, this piece included. */
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

  /** Says that the text is complete, which `$` may wait for. */
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
    // Patterns with more states than the cache holds begin it anew. A step costs no more than the size of the patterns all the same.
    const kept = this.#automaton.resetCache(from);
    return kept && this.#automaton.step(kept, runeClass, codePoint, unanchored);
  }

  /** What has matched whatever comes next: a streamed answer may pause here, and must not go on for longer than needed. */
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
