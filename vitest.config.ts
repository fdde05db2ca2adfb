import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: ["packages/*"],
    // The default is cores − 1: one worker on the two cores that CI has.
    maxWorkers: 2,
    reporters: ["default", "./scripts/totals-reporter.ts"],
  },
});
