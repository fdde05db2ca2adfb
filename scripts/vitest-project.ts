import { defineProject, type UserProjectConfigExport } from "vitest/config";

const patienceMs = process.env.PIKIT_LONG === "1" ? 3_600_000 : 300_000;

/** The tests of a package. What is set here does not reach a project from the root's configuration. */
export function testsOf(name: string): UserProjectConfigExport {
  return defineProject({
    // Tests run from source: the condition names each package's src/index.ts (plain `resolve.conditions` does not reach it).
    ssr: { resolve: { conditions: ["pikit-source"] } },
    test: {
      name,
      include: ["test/**/*.test.ts"],
      // For what hangs. Whole programs are started, on machines that may be busy or slow, so no test has a limit of its own.
      testTimeout: patienceMs,
      hookTimeout: patienceMs,
      // The default is cores − 1: one worker on the two cores that CI has.
      maxWorkers: 2,
    },
  });
}
