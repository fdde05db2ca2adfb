import { isSessionError } from "../../../errors.ts";
import { endInTime } from "../../end-in-time.ts";
import { HttpError, retrySoon } from "../http/http-error.ts";
import type { KeptOptions, OpenedSession } from "../http/route-schemas.ts";
import type { LiveSession } from "../live/live-session.ts";
import { endingReason } from "../live/work-commands.ts";
import type { ServeOptions } from "../serve-options.ts";
import { ElsewhereError } from "./elsewhere.ts";
import { findTarget } from "./find-target.ts";
import { type Opening, openLive } from "./open-live.ts";
import type { Roots } from "./roots.ts";
import { ServedSession } from "./served-session.ts";
import type { ReadSessionRequest } from "./session-request.ts";
import type { LiveStore, StoredSessions } from "./stored-sessions.ts";

/** The longest delay of a timer, in milliseconds. */
const maxTimerMs = 2 ** 31 - 1;

const minuteMs = 60_000;

/** Maximum number of attempts to open a session that other servers open and close at the same time. */
const maxOpenings = 3;

/** A request about a stored session that opens it. */
interface Reopening {
  options?: KeptOptions;
  takeOverLock?: boolean;
  name?: string | undefined;
}

interface RegistryParts {
  roots: Roots;
  stored: StoredSessions;
  /** Called with each session that comes into memory, before it runs. */
  onLive(live: LiveSession): void;
}

/**
 * The live sessions of the server. Each session is live once at most, however many requests ask for it at the same time. A session that is
 * idle for a while is closed, and the next request opens it again from the store.
 */
export class SessionRegistry {
  readonly #serve: ServeOptions;
  readonly #roots: Roots;
  readonly #stored: StoredSessions;
  readonly #onLive: RegistryParts["onLive"];
  readonly #byId = new Map<string, ServedSession>();
  /** Sessions that are being opened, by id. */
  readonly #opening = new Map<string, Promise<ServedSession>>();
  /** Sessions that are being closed, by id. They are locked in the store until the end. */
  readonly #closing = new Map<string, Promise<void>>();
  /** Sessions that are being created and are not in `#byId` yet. */
  readonly #creating = new Set<Promise<ServedSession>>();
  #isClosing = false;

  constructor(serve: ServeOptions, { roots, stored, onLive }: RegistryParts) {
    this.#serve = serve;
    this.#roots = roots;
    this.#stored = stored;
    this.#onLive = onLive;
  }

  /** All live sessions. */
  get live(): LiveSession[] {
    return [...this.#byId.values()].map(({ live }) => live);
  }

  /** The live sessions that the store does not have, or not yet. */
  get unwritten(): LiveSession[] {
    return [...this.#byId.values()].filter(({ live, store }) => store?.mayHave(live.session) !== true).map(({ live }) => live);
  }

  /** A session if it is live. */
  find(id: string): LiveSession | undefined {
    return this.#byId.get(id)?.live;
  }

  /**
   * Calls `act` with a session, which stays live until `act` has settled. Opens a stored session, with the options that were kept with it.
   *
   * @param since - A position; its epoch finds a session under an id that it had before a move.
   * @throws {HttpError} `not_found`, `too_many`, `closing`. {ElsewhereError} When another server has it open.
   * @throws {SessionError} When the session cannot be opened.
   */
  async use<T>(id: string, since: string | undefined, act: (live: LiveSession) => T | Promise<T>): Promise<T> {
    const served = await this.#enter(() => this.#findServed(id, since) ?? this.#openStored(id, {}));
    try {
      return await act(served.live);
    } finally {
      served.release();
      this.#watch(served);
    }
  }

  /**
   * Begins or opens a session.
   *
   * @throws {HttpError} Also `conflict` for options of a session that is live already. {ElsewhereError} When another server has it open.
   * @throws {SessionError} Or {UsageError}, those of the SDK.
   */
  async open(request: ReadSessionRequest): Promise<OpenedSession> {
    const { session, options, takeOverLock, name } = request;
    if (this.#isClosing) throw closing();
    const cwd = request.cwd === undefined ? undefined : await this.#roots.requireFolder(request.cwd);
    const target = await findTarget(session, cwd, { roots: this.#roots, stored: this.#stored, liveIds: () => this.#byId.keys() });
    const folder = cwd ?? this.#roots.first;
    if ("begin" in target) {
      const begin = () => this.#create({ cwd: folder, choice: target.begin, options, takeOverLock, name, isNew: true });
      // Several requests may begin a session with the same id.
      const id = typeof target.begin === "object" && "id" in target.begin ? target.begin.id : undefined;
      const isFirst = id === undefined || !this.#isAtHand(id);
      if (!isFirst) requireNoOptions(request);
      return this.#report(
        () => (id === undefined ? begin() : this.#once(id, () => this.#beginFree(id, begin))),
        isFirst ? "new" : "live",
      );
    }
    const served = this.#byId.get(target.id);
    if (served && target.ref !== undefined && !this.#stored.isSame(served.live.session, target.ref)) {
      throw new HttpError("conflict", `Another session with the id ${target.id} is live. Close it first.`);
    }
    const isFirst = !this.#isAtHand(target.id);
    if (!isFirst) requireNoOptions(request);
    return this.#report(
      () => this.#byId.get(target.id) ?? this.#openStored(target.id, { options, takeOverLock, name }, target.ref),
      isFirst ? "stored" : "live",
    );
  }

  /**
   * Takes no further work, waits for the active runs, at most for the grace period, and closes all sessions. Each session is closed as soon
   * as its run has ended.
   */
  async close(graceMs: number): Promise<void> {
    this.#isClosing = true;
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, Math.min(graceMs, maxTimerMs));
    await Promise.allSettled([...this.#opening.values(), ...this.#creating]);
    await Promise.all(
      [...this.#byId.values()].map(async (served) => {
        served.live.takeNoWork();
        await Promise.race([served.live.session.waitForIdle(), late]);
        await this.#close(served);
      }),
    );
    clearTimeout(timer);
    await Promise.all(this.#closing.values());
  }

  /** Whether a session is live, or is being opened. */
  #isAtHand(id: string): boolean {
    return this.#byId.has(id) || this.#opening.has(id);
  }

  async #report(find: () => ServedSession | Promise<ServedSession>, opened: OpenedSession["opened"]): Promise<OpenedSession> {
    const served = await this.#enter(find);
    try {
      const { sessionId, sessionFile, cwd } = served.live.session;
      return { sessionId, sessionFile, cwd, opened };
    } finally {
      served.release();
      this.#watch(served);
    }
  }

  /** Holds a session. Tries again if it was closed in the moment between it was found and held. */
  async #enter(find: () => ServedSession | Promise<ServedSession>): Promise<ServedSession> {
    for (;;) {
      const served = await find();
      if (served.isClosed) continue;
      served.hold();
      return served;
    }
  }

  #findServed(id: string, since: string | undefined): ServedSession | undefined {
    const epoch = since?.slice(0, since.lastIndexOf(":"));
    const moved = epoch === undefined ? undefined : [...this.#byId.values()].find(({ live }) => live.epoch === epoch);
    return moved?.isKnownAs(id) ? moved : this.#byId.get(id);
  }

  /** Opens the session with this id from the store, or begins it again if it was never written. */
  #openStored(id: string, given: Reopening, knownRef?: string): Promise<ServedSession> {
    return this.#once(id, async () => {
      const ref = knownRef ?? (await this.#stored.find(id))?.ref;
      if (ref !== undefined) return this.#openFree(id, ref, given);
      const unwritten = await this.#stored.findUnwritten(id);
      if (!unwritten) throw new HttpError("not_found", `There is no session ${id.slice(0, 128)}. See GET /v1/sessions.`);
      const { cwd, options } = unwritten.kept;
      const served = await this.#create({ cwd, choice: { id }, ...given, options: { ...options, ...given.options }, isNew: true });
      unwritten.begun(served.live.session);
      return served;
    });
  }

  /** Begins a session with a given id. Another server may begin one with the same id at the same time. */
  async #beginFree(id: string, begin: () => Promise<ServedSession>): Promise<ServedSession> {
    try {
      return await begin();
    } catch (error) {
      if (isSessionError(error)) await this.#requireFree(id);
      throw error;
    }
  }

  /** Opens a stored session that no other server has open. */
  async #openFree(id: string, ref: string, given: Reopening): Promise<ServedSession> {
    for (let attempt = 1; ; attempt += 1) {
      await this.#requireFree(id);
      const options = { ...(await this.#stored.readOptions(ref)), ...given.options };
      try {
        return await this.#create({ cwd: this.#roots.first, choice: { path: ref }, ...given, options, isNew: false });
      } catch (error) {
        const isLocked = isSessionError(error) && error.code === "locked";
        if (!isLocked || !this.#stored.isShared || attempt >= maxOpenings) throw error;
      }
    }
  }

  /** @throws {ElsewhereError} When another server has the session open. */
  async #requireFree(id: string): Promise<void> {
    const [holder] = await this.#stored.findHolders([id]);
    if (holder) throw new ElsewhereError(id, holder.address);
  }

  /** Runs one opening of a session at a time, after the session was closed completely. */
  #once(id: string, open: () => Promise<ServedSession>): Promise<ServedSession> {
    const running = this.#opening.get(id);
    if (running) return running;
    const opening = (async () => {
      await this.#closing.get(id);
      return this.#byId.get(id) ?? (await open());
    })().finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    return opening;
  }

  async #create(opening: Opening): Promise<ServedSession> {
    await this.#makeRoom();
    if (this.#isClosing) throw closing();
    const { promise: lost, resolve: onLost } = Promise.withResolvers<void>();
    const { cwd, choice, options } = opening;
    const ownRef = typeof choice === "object" && "path" in choice ? choice.path : undefined;
    const store = choice === "memory" ? undefined : this.#stored.storeFor({ cwd, options, ownRef, onLost });
    const creating = openLive(opening, store, this.#serve).then((live) => this.#add(live, store, lost));
    this.#creating.add(creating);
    try {
      return await creating;
    } finally {
      this.#creating.delete(creating);
    }
  }

  #add(live: LiveSession, store: LiveStore | undefined, lost: Promise<void>): ServedSession {
    const served = new ServedSession(live, store);
    this.#byId.set(served.id, served);
    this.#onLive(live);
    live.onChange = () => this.#changed(served);
    // Only this session ends when an extension asks for the end of the process.
    void live.session.shutdown.requested.then(() => this.#close(served));
    void lost.then(() => {
      this.#serve.report(`Another server has taken over the session ${served.id}. It ends here.`);
      return this.#close(served);
    });
    return served;
  }

  /** Closes the session that has been idle for the longest time, if there are too many. */
  async #makeRoom(): Promise<void> {
    if (this.#byId.size + this.#creating.size < this.#serve.limits.maxSessions) return;
    const [oldest] = [...this.#byId.values()]
      .filter((served) => served.isIdle && served.isStored)
      .sort((a, b) => (a.idleSinceMs ?? 0) - (b.idleSinceMs ?? 0));
    if (!oldest) throw new HttpError("too_many", "The server has too many sessions at work. Try again later.", retrySoon);
    await this.#close(oldest);
  }

  #changed(served: ServedSession): void {
    if (served.live.session.sessionId !== served.id) this.#move(served);
    this.#watch(served);
  }

  /** A command has moved the live session to another stored session, which takes its options. */
  #move(served: ServedSession): void {
    if (this.#byId.get(served.id) === served) this.#byId.delete(served.id);
    served.move();
    this.#byId.set(served.id, served);
    void this.#keepMoved(served);
  }

  async #keepMoved({ live, store }: ServedSession): Promise<void> {
    try {
      await store?.keepMoved(live.session);
    } catch (error) {
      this.#serve.report((error as Error).message);
    }
  }

  /** Closes the session when it has been idle for long enough. */
  #watch(served: ServedSession): void {
    if (!served.isIdle || served.isClosed) {
      served.stopTimer();
      return;
    }
    const { idleMinutes } = this.#serve.limits;
    if (idleMinutes === 0) return;
    served.startTimer(Math.min(idleMinutes * minuteMs, maxTimerMs), () => {
      if (served.isIdle) void this.#close(served);
    });
  }

  #close(served: ServedSession): Promise<void> {
    const { id } = served;
    const running = this.#closing.get(id);
    if (served.isClosed) return running ?? Promise.resolve();
    served.isClosed = true;
    served.stopTimer();
    if (this.#byId.get(id) === served) this.#byId.delete(id);
    const closing = (async () => {
      await running;
      await endInTime(served.live.dispose());
    })()
      .catch((error: unknown) => this.#serve.report(`The session ${id} did not close properly: ${String(error)}.`))
      .finally(() => {
        if (this.#closing.get(id) === closing) this.#closing.delete(id);
      });
    this.#closing.set(id, closing);
    return closing;
  }
}

function requireNoOptions({ optionNames: [name] }: ReadSessionRequest): void {
  if (name === undefined) return;
  throw new HttpError(
    "conflict",
    `The session is live already, so it takes no "${name}". Leave it out, or change it by a command.`,
  );
}

function closing(): HttpError {
  return new HttpError("closing", endingReason, retrySoon);
}
