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
    suspend() {
      if (keepAlive !== undefined) return;
      release();
      // Without a handler the system stops the whole group at once. The shell takes the terminal as soon as one process of the job stands still, such as
      // one that has started this one; if this one went on for a moment, it would stop after `fg`, or while it changes the terminal.
      process.off("SIGTSTP", onStop);
      process.kill(0, "SIGTSTP");
      // The process goes on here after SIGCONT; at once, if there is no shell that could send it.
      process.on("SIGTSTP", onStop);
      resume();
    },
    remove() {
      process.off("SIGTSTP", onStop);
      process.off("SIGCONT", onContinue);
    },
  };
}
