/** The listener for the work of this process. */
export interface WorkListener {
  /** Called when a run or a command begins while nothing is active. */
  onBusy(): void;
  /** Called when the last active run or command has ended. */
  onIdle(): void;
}

let openCount = 0;
let hasRun = false;
let listener: WorkListener | undefined;

/** Counts a command without its answer as work of this process, until the returned function is called. Calling it again does nothing. */
export function beginWork(): () => void {
  openCount += 1;
  if (openCount === 1 && hasRun) listener?.onBusy();
  let isOpen = true;
  return () => {
    if (!isOpen) return;
    isOpen = false;
    openCount -= 1;
    if (openCount === 0 && hasRun) listener?.onIdle();
  };
}

/** Does the same for a run of any session. */
export function beginRun(): () => void {
  const isFirst = !hasRun;
  hasRun = true;
  const end = beginWork();
  // The first run begins within the command that starts it, which was not reported.
  if (isFirst && openCount > 1) listener?.onBusy();
  return end;
}

/** Whether a run or a command of this process is active. */
export function hasWork(): boolean {
  return openCount > 0;
}

/**
 * Sets the only listener. It is called from the first run on. For the command `pi`, which owns its process; in other programs nothing listens.
 */
export function watchWork(next: WorkListener): void {
  listener = next;
}
