import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type Beginning, Conversation } from "../../conversation/conversation.ts";
import type { SessionStore } from "../../conversation/session-store.ts";

/** Sessions that are remembered; of more the oldest are forgotten. */
const most = 1000;

/**
 * Sessions that were left before anything of them was written. Their names have been told all the same, for example by `get_state`, so
 * that one can come back to them, although their store does not know them.
 */
export class UnwrittenSessions {
  readonly #beginnings = new Map<string, Beginning>();

  /** To be called with each conversation that is left. */
  note({ ref, beginning }: Pick<Conversation, "ref" | "beginning">): void {
    if (!beginning) return;
    this.#beginnings.set(ref, beginning);
    for (const [oldest] of this.#beginnings) {
      if (this.#beginnings.size <= most) break;
      this.#beginnings.delete(oldest);
    }
  }

  /** Begins the session of that name again; undefined when there is none, or when its store can be asked for it. */
  begin(store: SessionStore, ref: string): Conversation | undefined {
    const name = this.#beginnings.has(ref) ? ref : resolve(ref);
    const beginning = this.#beginnings.get(name);
    // Without its working folder it is as good as gone. Somebody else may have written a file of this name since.
    if (!beginning || !existsSync(beginning.header.cwd) || existsSync(name)) return undefined;
    return Conversation.beginAgain(store, beginning);
  }
}
