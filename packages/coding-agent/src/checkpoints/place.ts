import type { SnapshotLimits } from "./git/snapshot.ts";
import type { Stamp } from "./records.ts";

/** Where a session keeps the changes of its files, and its state now. */
export interface KeptPlace {
  /** Absolute path of the folder. */
  folder: string;
  /** The session that this one was forked from; undefined if there is none. */
  source: ForkSource | undefined;
  /** The latest entry of the session, and the message of the user to which new changes belong; null if there is none. */
  moment(): Pick<Stamp, "entry" | "turn">;
  /** The index of an entry in the session, in the order of appending; -1 for an unknown id. */
  positionOf(entryId: string): number;
}

/** The session that another one was forked from. */
export interface ForkSource {
  /** Where it keeps its changes. */
  folder: string;
  /** The time of the fork: Unix time in milliseconds. */
  time: number;
}

export interface KeptLimits extends SnapshotLimits {
  /** Maximum bytes of all kept contents of a session. */
  maxTotalBytes: number;
}
