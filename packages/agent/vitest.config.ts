import { defineProject } from "vitest/config";

export default defineProject({
  // Tests run from source: the condition names each package's src/index.ts (plain `resolve.conditions` does not reach it).
  ssr: { resolve: { conditions: ["pikit-source"] } },
  // Two workers: the default is cores − 1, one on the two cores that CI has. Set at the root, it would not reach a project.
  test: { name: "@pikit/agent", include: ["test/**/*.test.ts"], testTimeout: 30_000, hookTimeout: 60_000, maxWorkers: 2 },
});
