import { existsSync } from "node:fs";
import { type Beginning, Conversation } from "../../conversation/conversation.ts";
import type { SessionStore } from "../../conversation/session-store.ts";

/** The maximum number of remembered sessions. Beyond it the oldest are forgotten. */
const most = 1000;

/**
 * Sessions that were left before anything of them was written. Clients may know their names, for example from `get_state`. This class
 * lets a client return to such a session, although its store does not know it.
 */
export class UnwrittenSessions {
  readonly #beginnings = new Map<string, Beginning>();

  /** Call it with each conversation that is left. */
  note({ ref, beginning }: Pick<Conversation, "ref" | "beginning">): void {
    if (!beginning) return;
    this.#beginnings.set(ref, beginning);
    for (const [oldest] of this.#beginnings) {
      if (this.#beginnings.size <= most) break;
      this.#beginnings.delete(oldest);
    }
  }

  /** Begins the session with this name again; undefined if there is none, or if its store has it. */
  begin(store: SessionStore, ref: string): Conversation | undefined {
    const beginning = this.#beginnings.get(ref);
    // Without its working folder it cannot be used. Another process may have written a file with this name since.
    if (!beginning || !existsSync(beginning.header.cwd) || existsSync(ref)) return undefined;
    return Conversation.beginAgain(store, beginning);
  }
}
