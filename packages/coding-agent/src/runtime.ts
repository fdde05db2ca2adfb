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

/** The error message for a runtime or a system on which no session works; undefined otherwise. */
export function describeUnsupported(platform: string = process.platform): string | undefined {
  // Commands are ended by their process groups, and files are locked and replaced, in ways that Windows does not have.
  if (platform === "win32") {
    return "pikit does not work on Windows itself, but in its Linux: run wsl --install once, and then install and start pi in WSL.";
  }
  return describeOldBun();
}
