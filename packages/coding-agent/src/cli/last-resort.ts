import { reportUncaught, type UncaughtKind } from "../extensions/uncaught.ts";
import { writeError } from "../modes/terminal-text.ts";
import { describeError } from "./describe-error.ts";

/** Maximum milliseconds for an orderly shutdown. */
const endMs = 5000;

/** Reports a failure in the format of the mode, saves the session and ends the mode. */
export type EndInOrder = (problem: string) => Promise<void>;

let endInOrder: EndInOrder | undefined;
let release = () => {};
let isEnding = false;
let goesOn = false;

/** Sets the function that ends the mode after an internal error. Before that there is nothing to save. */
export function onFailure(end: EndInOrder): void {
  endInOrder = end;
}

/** Sets the function that gives the terminal back before the report of an internal error, so that the report can be read. */
export function onFault(giveBack: () => void): void {
  release = giveBack;
}

/** Internal faults are only reported from now on: a fault of one session of a server must not end the others. */
export function surviveFaults(): void {
  goesOn = true;
}

/**
 * Handles uncaught errors. Errors of extensions are reported as such, and the run continues. Any other error is an internal one, after which
 * the state may be corrupt: the process shuts down with exit code 1, within 5 seconds.
 */
export function guardProcess(): void {
  process.on("uncaughtException", (error) => handle(error, "uncaughtException"));
  process.on("unhandledRejection", (reason) => handle(reason, "unhandledRejection"));
}

function handle(error: unknown, kind: UncaughtKind): void {
  if (reportUncaught(error, kind) || isEnding) return;
  if (!goesOn) isEnding = true;
  try {
    release();
  } catch {
    // The fault is in what draws. The report matters more than the screen.
  }
  const message = error instanceof Error ? error.message : String(error);
  const text = message.replace(/\s+/g, " ").trim().replace(/\.$/, "");
  const problem = goesOn
    ? `An internal fault; the server continues: ${text}.`
    : `pi must exit because of an internal fault: ${text}.`;
  writeError(process.env.PI_DEBUG === "1" ? `${problem}\n${describeError(error)}` : `${problem} Set PI_DEBUG=1 to see the stack.`);
  if (goesOn) return;
  process.exitCode = 1;
  if (!endInOrder) process.exit(1);
  setTimeout(() => process.exit(1), endMs);
  endInOrder(problem).catch(() => process.exit(1));
}
