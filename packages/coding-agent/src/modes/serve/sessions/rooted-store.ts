import type { SessionEntry } from "../../../conversation/entries.ts";
import { FileSessionStore } from "../../../conversation/file-store.ts";
import { readSessionHeader } from "../../../conversation/read-session.ts";
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
import type { KeptOptions } from "../http/route-schemas.ts";
import { keptFileOf, readKept, restrictsAlike } from "./kept-options.ts";
import type { Roots } from "./roots.ts";

/** A session of a folder outside of the roots. */
export class OutsideRootsError extends SessionError {
  constructor() {
    super("not_found", "The session's working folder is outside of the roots of this server.");
  }
}

/**
 * The session files for one live session: only those of folders within the roots can be opened. It is the one place that every way to another
 * session passes: the request that opens it, `switch_session`, and forks. A session with restrictions of its own is opened by a request
 * only, which applies them.
 */
export class RootedStore implements SessionStore {
  readonly #files: FileSessionStore;
  readonly #roots: Roots;
  readonly #options: KeptOptions;
  readonly #ownFile: string | undefined;

  /**
   * @param folder - Where new sessions are stored.
   * @param options - Those of the live session.
   * @param ownFile - The session file that the request opens: the options are meant for it, also when it had others.
   */
  constructor(folder: string, { roots, options, ownFile }: { roots: Roots; options: KeptOptions; ownFile: string | undefined }) {
    this.#files = new FileSessionStore(folder);
    this.#roots = roots;
    this.#options = options;
    this.#ownFile = ownFile;
  }

  create(header: SessionHeader): SessionLog {
    return this.#files.create(header);
  }

  async open(ref: string, onEntry: (entry: SessionEntry) => void, options: OpenOptions = {}): Promise<OpenedSession> {
    const { cwd } = readSessionHeader(ref);
    if (!(await this.#roots.contains(cwd))) throw new OutsideRootsError();
    if (options.readOnly !== true && ref !== this.#ownFile) await this.#checkOptions(ref);
    return this.#files.open(ref, onEntry, options);
  }

  async list(filter?: SessionFilter): Promise<SessionInfo[]> {
    const infos = await this.#files.list(filter);
    const within = await Promise.all(infos.map(({ cwd }) => this.#roots.contains(cwd)));
    return infos.filter((_, index) => within[index]);
  }

  remove(ref: string): void {
    this.#files.remove(ref);
  }

  async #checkOptions(ref: string): Promise<void> {
    const kept = await readKept(keptFileOf(ref));
    if (kept && !restrictsAlike(kept.options, this.#options)) {
      throw new SessionError(
        "not_found",
        `The session ${kept.id} has options of its own, such as approvals. Open it with POST /v1/sessions, which applies them.`,
      );
    }
  }
}
