import type { SessionEntry } from "../../../conversation/entries.ts";
import type {
  OpenedSession,
  OpenOptions,
  SessionFilter,
  SessionInfo,
  SessionLog,
  SessionStore,
} from "../../../conversation/session-store.ts";
import { SessionError } from "../../../errors.ts";
import type { SessionHeader } from "../../../protocol/frames.ts";
import type { AgentSession } from "../../../session/agent-session.ts";
import type { KeptOptions } from "../http/route-schemas.ts";
import { type KeptSession, restrictsAlike } from "./kept-options.ts";
import type { Roots } from "./roots.ts";
import type { LiveStore, StoreUse } from "./stored-sessions.ts";

/** A session of a folder outside of the roots. */
export class OutsideRootsError extends SessionError {
  constructor() {
    super("not_found", "The session's working folder is outside of the roots of this server.");
  }
}

/**
 * The stored sessions for one live session: only those of folders within the roots can be opened. It is the one place that every way to another
 * session passes: the request that opens it, `switch_session`, and forks. A session with restrictions of its own is opened by a request
 * only, which applies them.
 */
export abstract class RootedStore implements LiveStore {
  protected readonly options: KeptOptions;
  readonly #store: SessionStore;
  readonly #roots: Roots;
  readonly #ownRef: string | undefined;

  constructor(store: SessionStore, roots: Roots, { options, ownRef }: Pick<StoreUse, "options" | "ownRef">) {
    this.#store = store;
    this.#roots = roots;
    this.options = options;
    this.#ownRef = ownRef;
  }

  create(header: SessionHeader): SessionLog {
    return this.#store.create(header);
  }

  async open(ref: string, onEntry: (entry: SessionEntry) => void, options: OpenOptions = {}): Promise<OpenedSession> {
    if (!(await this.#roots.contains(await this.cwdOf(ref)))) throw new OutsideRootsError();
    if (options.readOnly !== true && ref !== this.#ownRef) await this.#checkOptions(ref);
    return this.#store.open(ref, onEntry, options);
  }

  async list(filter?: SessionFilter): Promise<SessionInfo[]> {
    const infos = await this.#store.list(filter);
    const within = await Promise.all(infos.map(({ cwd }) => this.#roots.contains(cwd)));
    return infos.filter((_, index) => within[index]);
  }

  remove(ref: string): void | Promise<void> {
    return this.#store.remove(ref);
  }

  abstract keep(session: AgentSession, isNew: boolean): void | Promise<void>;
  abstract keepMoved(session: AgentSession): void | Promise<void>;
  abstract mayHave(session: AgentSession): boolean;

  /** The working folder of a stored session. @throws {SessionError} When there is no such session. */
  protected abstract cwdOf(ref: string): string | Promise<string>;

  /** Reads the facts that were kept about a session. @throws {SessionError} `read_failed`. */
  protected abstract readKept(ref: string): Promise<KeptSession | undefined>;

  async #checkOptions(ref: string): Promise<void> {
    const kept = await this.readKept(ref);
    if (kept && !restrictsAlike(kept.options, this.options)) {
      throw new SessionError(
        "not_found",
        `The session ${kept.id} has options of its own, such as approvals. Open it with POST /v1/sessions, which applies them.`,
      );
    }
  }
}
