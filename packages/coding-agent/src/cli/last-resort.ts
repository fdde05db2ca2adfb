import { reportUncaught, type UncaughtKind } from "../extensions/uncaught.ts";
import { writeError } from "../modes/terminal-text.ts";
import { describeError } from "./describe-error.ts";

/** Milliseconds that an end in order may take. */
const endMs = 5000;

/** Tells a failure in the words of the mode, saves what there is, and lets the mode come to its end. */
export type EndInOrder = (problem: string) => Promise<void>;

let endInOrder: EndInOrder | undefined;
let isEnding = false;

/** Says how the mode ends when the process cannot be trusted any more. Before that there is nothing to save. */
export function onFailure(end: EndInOrder): void {
  endInOrder = end;
}

/**
 * Takes errors that nobody has caught. Those of extensions are told as such, and the run goes on. Any other is a fault of ours, after which no
 * state can be trusted: the process ends in order with exit code 1, within 5 seconds.
 */
export function guardProcess(): void {
  process.on("uncaughtException", (error) => handle(error, "uncaughtException"));
  process.on("unhandledRejection", (reason) => handle(reason, "unhandledRejection"));
}

function handle(error: unknown, kind: UncaughtKind): void {
  if (reportUncaught(error, kind) || isEnding) return;
  isEnding = true;
  process.exitCode = 1;
  const message = error instanceof Error ? error.message : String(error);
  const problem = `pi has to end because of a fault of its own: ${message.replace(/\s+/g, " ").trim().replace(/\.$/, "")}.`;
  writeError(process.env.PI_DEBUG === "1" ? `${problem}\n${describeError(error)}` : `${problem} PI_DEBUG=1 shows where.`);
  if (!endInOrder) process.exit(1);
  setTimeout(() => process.exit(1), endMs);
  endInOrder(problem).catch(() => process.exit(1));
}
