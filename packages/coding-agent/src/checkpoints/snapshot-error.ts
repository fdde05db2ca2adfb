/**
 * Why the state of a working tree is unknown. `time` and `git` hold for later commands, too.
 *
 * - `outside`: there is no git working tree
 * - `time`: the time is over
 * - `size`: too many or too large files
 * - `git`: git is missing, or fails
 */
export type SnapshotProblem = "outside" | "time" | "size" | "git";

/** The changes of a command cannot be kept. The message is the end of a sentence. */
export class SnapshotError extends Error {
  override readonly name = "SnapshotError";
  readonly problem: SnapshotProblem;

  constructor(message: string, problem: SnapshotProblem) {
    super(message);
    this.problem = problem;
  }
}
