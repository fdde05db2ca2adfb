import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join, relative } from "node:path";
import { protectedArguments } from "./protection.ts";
import type { WorkingCopy } from "./working-copy.ts";

/** How a run of tests ended; `late`: it was ended when its time was up. */
export type TestOutcome = { outcome: "passed" } | { outcome: "late" } | { outcome: "failed"; files: string[] };

/** Of one test file, as Vitest's JSON says it. */
interface FileResult {
  name: string;
  /** Why the file could not be run. */
  message: string;
  assertionResults: { status: string }[];
}

/** Runs test files of a working copy. */
export class TestRunner {
  readonly #copy: WorkingCopy;
  readonly #isProtected: boolean;
  #child: ChildProcess | undefined;

  constructor(copy: WorkingCopy, { isProtected }: { isProtected: boolean }) {
    this.#copy = copy;
    this.#isProtected = isProtected;
  }

  /** Runs the files until one of them fails. */
  async run(files: readonly string[], limitMs: number): Promise<TestOutcome> {
    const { folder, home, root } = this.#copy;
    const report = join(folder, "report.json");
    rmSync(report, { force: true });
    this.#copy.clean();
    const vitest = join(root, "node_modules/vitest/vitest.mjs");
    const flags = ["run", "--bail=1", "--reporter=json", `--outputFile=${report}`];
    const isLate = await this.#spawn([process.execPath, vitest, ...flags, "--root", root, ...files], {
      limitMs,
      env: { PATH: process.env.PATH, HOME: home, TMPDIR: home },
    });
    if (isLate) return { outcome: "late" };
    // Without a report, the mutant has ended the whole run.
    if (!existsSync(report)) return { outcome: "failed", files: [] };
    const { success, testResults } = JSON.parse(readFileSync(report, "utf8"));
    if (success) return { outcome: "passed" };
    // Files that were stopped because another one failed have neither.
    const failed = (testResults as FileResult[]).filter(
      ({ message, assertionResults }) => message !== "" || assertionResults.some(({ status }) => status === "failed"),
    );
    return { outcome: "failed", files: failed.map(({ name }) => relative(root, name)) };
  }

  /** Ends the run that is going, and everything that its tests have started. */
  stop(): void {
    const { pid } = this.#child ?? {};
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // it has ended by itself
    }
  }

  /** @returns Whether the time was up. */
  #spawn(command: readonly string[], { limitMs, env }: { limitMs: number; env: NodeJS.ProcessEnv }): Promise<boolean> {
    const { folder, root } = this.#copy;
    const whole = this.#isProtected ? ["unshare", ...protectedArguments(folder, command)] : command;
    return new Promise((resolve, reject) => {
      let isLate = false;
      // A group of its own, to be ended as a whole.
      const child = spawn(whole[0] ?? "", whole.slice(1), { cwd: root, env, stdio: "ignore", detached: true });
      this.#child = child;
      const timer = setTimeout(() => {
        isLate = true;
        this.stop();
      }, limitMs);
      child.on("error", reject);
      child.on("exit", () => {
        clearTimeout(timer);
        this.#child = undefined;
        resolve(isLate);
      });
    });
  }
}
