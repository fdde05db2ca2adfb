import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { RpcClient, type RpcClientOptions } from "../../src/index.ts";

/** The path of a small program that plays an agent, and usually misbehaves. */
export function fixture(name: string): string {
  return fileURLToPath(new URL(`../fixtures/${name}.mjs`, import.meta.url));
}

/** A client of a fixture. */
export function clientOf(name: string, options: RpcClientOptions = {}): RpcClient {
  return new RpcClient({ cliPath: fixture(name), ...options });
}

export async function startClient(name: string, options: RpcClientOptions = {}): Promise<RpcClient> {
  const client = clientOf(name, options);
  await client.start();
  return client;
}

/** The error that a promise rejects with. */
export async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error("The promise was expected to reject.");
}

/** Whether a process exists; a zombie does. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Whether a process is at work. One that ended counts as such before its foreign parent has asked for its exit code. */
export function isAtWork(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return isRunning(pid);
  }
}
