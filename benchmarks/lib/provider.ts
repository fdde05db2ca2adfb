import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** A model provider on this machine, in a process of its own, so that nothing of a benchmark delays its answers. */
export interface Provider extends AsyncDisposable {
  readonly url: string;
  /** The first request that was answered since the last call of `forget`, or will be. */
  nextRequest(): Promise<ProviderRequest>;
  /** Forgets what was asked so far. */
  forget(): void;
}

export interface ProviderRequest {
  body: unknown;
  /** When all of it was there, on the clock of `monotonicMs`. */
  arrivedAt: number;
}

/** How the pieces of a reply are written; `programs/provider.ts` describes them. */
export type Pace = "at once" | "one by one" | "in bulk";

/** The message of a prompt that is answered with `deltas` deltas. */
export function promptFor(deltas: number, pace: Pace): string {
  return `Reply with ${deltas} words, ${pace}.`;
}

/** The last word of that answer. */
export function lastWord(deltas: number): string {
  return `word${deltas - 1} `;
}

/** A clock that all processes share, in milliseconds. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

export async function startProvider(): Promise<Provider> {
  const child = fork(join(import.meta.dirname, "../programs/provider.ts"), { stdio: ["ignore", "inherit", "inherit", "ipc"] });
  const exited = once(child, "exit").then(([code]) => {
    throw new Error(`The provider of the benchmarks ended with exit code ${code}.`);
  });
  const [url] = (await Promise.race([once(child, "message"), exited])) as [string];
  let next = Promise.withResolvers<ProviderRequest>();
  child.on("message", (request: ProviderRequest) => next.resolve(request));
  return {
    url,
    nextRequest: () => Promise.race([next.promise, exited]),
    forget() {
      next = Promise.withResolvers();
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited.catch(() => undefined);
    },
  };
}
