/**
 * Adds error listeners to stdout and stderr, so that a closed pipe (`pi … | head`) or a full disk does not crash the process with a stack
 * trace. When a write to stdout fails, `process.exitCode` becomes 1.
 *
 * @returns A function that waits until all data is written to stdout, or a write has failed.
 */
export function preparePlainOutput(): () => Promise<void> {
  let isReported = false;
  const report = ({ code }: NodeJS.ErrnoException) => {
    process.exitCode ??= 1;
    if (code !== "EPIPE" && !isReported) process.stderr.write(`Cannot write to stdout: ${code}. The answer is incomplete.\n`);
    isReported = true;
  };
  process.stdout.on("error", report);
  process.stderr.on("error", () => {}); // there is no other place to report it
  return () =>
    new Promise((resolve) =>
      process.stdout.write("", (error) => {
        if (error) report(error);
        resolve();
      }),
    );
}
