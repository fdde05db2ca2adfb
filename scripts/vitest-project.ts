import { defineProject, type UserProjectConfigExport } from "vitest/config";

/** The tests of a package. What is set here does not reach a project from the root's configuration. */
export function testsOf(name: string): UserProjectConfigExport {
  return defineProject({
    // Tests run from source: the condition names each package's src/index.ts (plain `resolve.conditions` does not reach it).
    ssr: { resolve: { conditions: ["pikit-source"] } },
    test: {
      name,
      include: ["test/**/*.test.ts"],
      // Whole programs are started, on machines that may be busy: these limits are for what hangs.
      testTimeout: 30_000,
      hookTimeout: 60_000,
      // The default is cores − 1: one worker on the two cores that CI has.
      maxWorkers: 2,
    },
  });
}
