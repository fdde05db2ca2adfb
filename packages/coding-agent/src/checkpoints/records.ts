/** The state of a path at one moment. */
export type Image =
  | { kind: "none" }
  | FileImage
  | { kind: "link"; target: string }
  | { kind: "folder" }
  /** A device, a pipe or a socket. */
  | { kind: "other" };

/** A regular file. */
export interface FileImage {
  kind: "file";
  /** The SHA-256 of its content in hex. For a file that is too large to be read: `stat:` and its size, time and inode. */
  hash: string;
  /** Bytes. */
  size: number;
  /** Permission bits. Undefined if they are unknown, as for a file that a tool is about to create. */
  mode?: number;
  /** Set if nothing else of the permissions is known. */
  isExecutable?: boolean;
  /** False if the store does not have the content. */
  isKept?: false;
}

/** The change of one path. */
export interface FileChange {
  /** Absolute, with links resolved. */
  path: string;
  before: Image;
  after: Image;
  /** The topmost folder that was created for the file. An undo removes it if it is empty. */
  folder?: string;
  /** Whether something else may have changed the file too, because the process was killed during the command. */
  isUncertain?: true;
}

/** The time and place of a change in its session. */
export interface Stamp {
  id: string;
  /** The latest entry of the session at that time; null if it had none. */
  entry: string | null;
  /** The message of the user to which the change belongs; null if there is none. */
  turn: string | null;
  /** Unix time in milliseconds. */
  time: number;
}

/** One call of `write` or `edit`; written before the file is. */
type ChangeRecord = Stamp & { type: "change"; call: string; files: FileChange[] };

/** A command is about to run. `snapshot`: the object with the state before. */
export type CommandRecord = Stamp & { type: "command"; call: string; command: string; snapshot: string };

/** The command with this id has ended. `reason`: why some of its changes are unknown. */
interface ChangedRecord {
  type: "changed";
  id: string;
  files: FileChange[];
  reason?: string;
}

/** A command whose changes are not known at all. */
type SkippedRecord = Stamp & { type: "skipped"; call: string; command: string; reason: string };

/**
 * - `undo`: of a turn
 * - `redo`: of an undo
 * - `back`: to before a message, together with the conversation
 */
export type RestoreKind = "undo" | "redo" | "back";

/** Files are about to be put back. */
type RestoreRecord = Stamp & {
  type: "restore";
  kind: RestoreKind;
  /** The id of the first operation that it takes back. */
  from: string;
  files: FileChange[];
  /** Whether conflicts were overwritten. */
  isForced?: true;
};

/** The restore with this id has ended. `isWhole`: no file was left out. */
interface RestoredRecord {
  type: "restored";
  id: string;
  isWhole: boolean;
}

/** The change with this id did not happen: its tool has failed. */
interface DiscardedRecord {
  type: "discarded";
  id: string;
}

/** Older changes were dropped, because there were too many. */
type DroppedRecord = Stamp & { type: "dropped" };

/** A line of the journal. */
export type JournalRecord =
  | ChangeRecord
  | DiscardedRecord
  | CommandRecord
  | ChangedRecord
  | SkippedRecord
  | RestoreRecord
  | RestoredRecord
  | DroppedRecord;

/** Whether two images show the same content. Of the permissions it only counts, as far as it is known, whether the file is executable. */
export function isSame(a: Image, b: Image): boolean {
  if (a.kind === "file" && b.kind === "file") return a.hash === b.hash && !differInMode(a, b);
  if (a.kind === "link" && b.kind === "link") return a.target === b.target;
  // A folder counts as nothing: its files have images of their own.
  const [one, other] = [a, b].map(({ kind }) => (kind === "folder" ? "none" : kind));
  return one === other && one !== "other";
}

/** Whether one of the two files is known to be executable, and the other is known not to be. */
function differInMode(a: FileImage, b: FileImage): boolean {
  const [one, other] = [executable(a), executable(b)];
  return one !== undefined && other !== undefined && one !== other;
}

/** Undefined if it is unknown. */
export function executable({ mode, isExecutable }: FileImage): boolean | undefined {
  return mode === undefined ? isExecutable : (mode & 0o100) !== 0;
}
