/**
 * Prepares stdout and stderr for plain text: a reader that goes away (`pi … | head`) or a full disk must not end the process with a stack
 * trace. When stdout cannot be written, `process.exitCode` becomes 1.
 *
 * @returns A function that waits until all of stdout has been written, or cannot be.
 */
export function preparePlainOutput(): () => Promise<void> {
  let isReported = false;
  const report = ({ code }: NodeJS.ErrnoException) => {
    process.exitCode ??= 1;
    if (code !== "EPIPE" && !isReported) process.stderr.write(`Cannot write to stdout: ${code}. The answer is incomplete.\n`);
    isReported = true;
  };
  process.stdout.on("error", report);
  process.stderr.on("error", () => {}); // nobody left to tell
  return () =>
    new Promise((resolve) =>
      process.stdout.write("", (error) => {
        if (error) report(error);
        resolve();
      }),
    );
}
