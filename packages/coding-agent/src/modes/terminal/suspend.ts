/** How the terminal is given back and taken again. */
export interface Suspendable {
  release(): void;
  resume(): void;
}

/**
 * Makes job control of the shell work: before the process is stopped the terminal is given back, and when it continues the terminal is taken again.
 *
 * @returns `suspend` stops the process and those of its group, as Ctrl-Z does; `remove` removes the handlers.
 */
export function handleSuspension({ release, resume }: Suspendable): { suspend(): void; remove(): void } {
  // Windows has no job control.
  if (process.platform === "win32") return { suspend() {}, remove() {} };
  /** Set while the process is stopped. Without it nothing would keep the process alive until the signal to go on is handled. */
  let keepAlive: ReturnType<typeof setInterval> | undefined;
  const onStop = () => {
    if (keepAlive !== undefined) return;
    keepAlive = setInterval(() => {}, 60_000);
    release();
    // SIGTSTP has this handler now; SIGSTOP cannot have one. The process stands still here until it gets SIGCONT.
    process.kill(process.pid, "SIGSTOP");
  };
  const onContinue = () => {
    if (keepAlive === undefined) return;
    clearInterval(keepAlive);
    keepAlive = undefined;
    resume();
  };
  process.on("SIGTSTP", onStop);
  process.on("SIGCONT", onContinue);
  return {
    // The whole group, because the shell waits for all processes of the job, such as one that has started this one.
    suspend: () => void process.kill(0, "SIGTSTP"),
    remove() {
      process.off("SIGTSTP", onStop);
      process.off("SIGCONT", onContinue);
    },
  };
}
