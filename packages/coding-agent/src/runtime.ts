/** The parts of Bun's API that replace Node modules with a different behaviour in Bun. */
interface BunApi {
  version: string;
  file(fileDescriptor: number): { stream(): ReadableStream<Uint8Array> };
  gc(isSynchronous: boolean): void;
}

/** Bun's API; undefined on other runtimes. */
export const bun: BunApi | undefined = (globalThis as { Bun?: BunApi }).Bun;

/** The oldest supported Bun. In older versions pipes and processes have bugs, and commands fail at random. */
const oldestBun = [1, 4] as const;

/** The error message for a Bun that is too old; undefined otherwise. */
export function describeOldBun(version = bun?.version): string | undefined {
  if (version === undefined) return undefined;
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major > oldestBun[0] || (major === oldestBun[0] && minor >= oldestBun[1])) return undefined;
  return `pikit needs Bun ${oldestBun.join(".")} or newer, but this is Bun ${version}. Install a newer Bun, or run it with Node.`;
}
