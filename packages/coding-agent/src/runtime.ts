/** What is used of Bun where a module of Node is not the same there. */
interface BunApi {
  version: string;
  file(fileDescriptor: number): { stream(): ReadableStream<Uint8Array> };
}

/** Bun, when this program runs on it. */
export const bun: BunApi | undefined = (globalThis as { Bun?: BunApi }).Bun;

/** The oldest Bun whose pipes and processes are right. Before it, commands fail at random. */
const oldestBun = [1, 4] as const;

/** One sentence when this program runs on a Bun that is too old; undefined when it does not. */
export function describeOldBun(version = bun?.version): string | undefined {
  if (version === undefined) return undefined;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > oldestBun[0] || (major === oldestBun[0] && minor >= oldestBun[1])) return undefined;
  return `pikit needs Bun ${oldestBun.join(".")} or newer, and this is Bun ${version}. Install a newer Bun, or run it with Node.`;
}
