import { Rule } from "./rules.ts";

/** Maximum number of rules of a session. */
const maxRules = 1000;

/** The rules that the user's answers have made. They are forgotten when the session is another one. */
export class SessionRules {
  readonly #rules = new Map<string, Rule>();
  #sessionId: string | undefined;

  /** Whether another rule can be added. */
  get hasRoom(): boolean {
    return this.#rules.size < maxRules;
  }

  /** @param coversRisks - Whether the rule counts for risky calls, because the answer was about one. */
  async add(text: string, sessionId: string | undefined, coversRisks: boolean): Promise<void> {
    const rule = await Rule.parse(text, { coversRisks });
    this.#follow(sessionId);
    if (this.hasRoom) this.#rules.set(`${coversRisks} ${text}`, rule);
  }

  /** The rules of a session. */
  of(sessionId: string | undefined): readonly Rule[] {
    this.#follow(sessionId);
    return [...this.#rules.values()];
  }

  #follow(sessionId: string | undefined): void {
    if (sessionId === this.#sessionId) return;
    this.#sessionId = sessionId;
    this.#rules.clear();
  }
}
