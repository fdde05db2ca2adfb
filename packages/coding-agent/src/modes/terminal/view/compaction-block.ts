import type { CompactionEvent } from "../../../protocol/events.ts";
import { type Block, WholeLines } from "../block.ts";
import { formatSeconds, groupDigits, toSafeText, wrap } from "../lines.ts";
import type { Theme } from "../theme/theme.ts";

type CompactionEnd = Extract<CompactionEvent, { type: "auto_compaction_end" | "compaction_end" }>;

/** A compaction: the reason and the seconds while it runs, and one line when it has ended. */
export class CompactionBlock implements Block {
  readonly #text: string;
  readonly #theme: Theme;
  readonly #now: () => number;
  readonly #startMs: number;
  #end: { text: string; isError: boolean } | undefined;
  readonly #whole = new WholeLines();

  /** @param text - The reason. */
  constructor(text: string, { theme, now }: { theme: Theme; now(): number }) {
    this.#text = text;
    this.#theme = theme;
    this.#now = now;
    this.#startMs = now();
  }

  get isDone(): boolean {
    return this.#end !== undefined;
  }

  end({ result, aborted, errorMessage }: Pick<CompactionEnd, "result" | "aborted" | "errorMessage">): void {
    if (result) {
      const [before, after] = [result.tokensBefore, result.estimatedTokensAfter].map(groupDigits);
      this.#end = { text: `Summarised the conversation: ${before} → ${after} tokens.`, isError: false };
    } else {
      const reason = aborted || errorMessage === undefined ? "stopped." : errorMessage;
      this.#end = { text: `The conversation was not summarised: ${reason}`, isError: !aborted };
    }
  }

  takeFinished(width: number): string[] {
    return this.#whole.take(this.isDone, () => this.#lines(width));
  }

  render(width: number): string[] {
    return this.#whole.rest(() => this.#lines(width));
  }

  #lines(width: number): string[] {
    const style = this.#end?.isError ? this.#theme.error : this.#theme.dim;
    const text = this.#end?.text ?? `${this.#text} ${formatSeconds(this.#now() - this.#startMs)}`;
    return wrap(toSafeText(text.slice(0, 4000)), width, style);
  }
}
