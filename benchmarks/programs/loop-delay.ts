// Loaded with --import into a process that a benchmark forks: measures how late its event loop is. It begins with the message "begin", and
// answers "end" with a `Delay`.
import { type Delay, watchLoop } from "../lib/loop-delay.ts";

let end: Promise<() => Promise<Delay>> | undefined;

process.on("message", (message) => {
  if (message === "begin") {
    end = watchLoop();
    void end.then(() => process.send?.("begun"));
  }
  if (message === "end") void end?.then(async (finish) => process.send?.(await finish()));
});
process.channel?.unref();
