/** The checks of one client, in the order in which they ran. */
export interface ClientResult {
  /** Its name in the table. */
  client: string;
  version: string;
  /** What the checks are about, in a few words. */
  about: string;
  passed: string[];
  failed: { name: string; reason: string }[];
  /** What the client wants and we do not have, with the reason. */
  unsupported: { name: string; reason: string }[];
}

/** Milliseconds that one check may take. This is for clients that wait for something for ever. */
const usualPatienceMs = 120_000;

/** Collects the results of one client, and prints each as it comes. */
export class Checks {
  readonly result: ClientResult;

  constructor(client: string, version: string, about: string) {
    this.result = { client, version, about, passed: [], failed: [], unsupported: [] };
    console.error(`\n${client} ${version}`);
  }

  /**
   * Runs a check; it passes if `run` does not throw. Never rejects.
   *
   * @param patienceMs - Maximum milliseconds. Default: two minutes.
   * @returns Whether it has passed.
   */
  async check(name: string, run: () => unknown, patienceMs = usualPatienceMs): Promise<boolean> {
    const { passed, failed } = this.result;
    try {
      await inTime(Promise.resolve().then(run), patienceMs);
      passed.push(name);
      console.error(`  ok      ${name}`);
      return true;
    } catch (error) {
      const reason = describe(error);
      failed.push({ name, reason });
      console.error(`  FAILED  ${name}: ${reason}`);
      return false;
    }
  }

  /** Notes that something is not supported, for a reason that a check has confirmed. */
  note(name: string, reason: string): void {
    this.result.unsupported.push({ name, reason });
    console.error(`  no      ${name}: ${reason}`);
  }
}

async function inTime<T>(work: Promise<T>, patienceMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`nothing came for ${patienceMs / 1000} s`)), patienceMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The first lines of an error, in one line. */
export function describe(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 300 ? `${line.slice(0, 300)} …` : line;
}
