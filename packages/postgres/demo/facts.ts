import type { SentAnswer } from "./model-server.ts";
import type { Task } from "./tasks.ts";

/** A message that a worker has reported as complete: it is stored, because the next event has come. */
export interface ToldMessage {
  worker: string;
  /** One opening of the session in one worker. */
  run: string;
  session: string;
  /** Of the message's JSON. */
  hash: string;
}

/** A call of the tool `note` that has begun to take effect. */
export interface LedgerLine {
  worker: string;
  /** The id of the call. */
  call: string;
  task: string;
  note: number;
}

/** An entry as the database has it. */
export interface StoredEntry {
  position: number;
  id: string;
  parentId: string | null;
  /** For a message: the hash of its JSON, as in `ToldMessage`. */
  hash?: string;
  role?: string;
  /** The text of a message. */
  text?: string;
  /** Of an answer of the model: `stop` for a complete one, `aborted` for one whose worker was stopped meanwhile. */
  stopReason?: string;
}

export interface StoredSession {
  id: string;
  /** The number of entries that the session should have. */
  length: number;
  /** In the order of their positions. */
  entries: readonly StoredEntry[];
}

/** A job at the end. */
export interface EndedJob {
  task: string;
  state: string;
  outcome: string | undefined;
}

/** Everything that was observed. */
export interface Facts {
  tasks: readonly Task[];
  told: readonly ToldMessage[];
  ledger: readonly LedgerLine[];
  answers: readonly SentAnswer[];
  sessions: readonly StoredSession[];
  jobs: readonly EndedJob[];
  /** The workers that were killed or stopped, and, after a restart of the database, all that ran at that time. */
  disturbedWorkers: ReadonlySet<string>;
}
