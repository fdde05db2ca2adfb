import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { importOptions } from "@pikit/test-kit";

/** What V8 does to the heap by itself, now and then: letting go of code that was not run lately, several megabytes at once. */
const steady = ["--expose-gc", "--max-semi-space-size=1", "--no-flush-bytecode"];

/** Runs a program of this folder in a process that can collect garbage when it wants to, and returns the JSON that it prints. */
export async function runProgram<T>(name: string, ...args: string[]): Promise<T> {
  const program = fileURLToPath(new URL(name, import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [...steady, ...importOptions, program, ...args], {
    maxBuffer: 2 ** 26,
  });
  return JSON.parse(stdout) as T;
}
