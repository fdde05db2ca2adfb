import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: ["packages/*", "packages/*/vitest.own-process.config.ts"],
    globalSetup: "./scripts/vitest-temp.ts",
    reporters: ["default", "./scripts/totals-reporter.ts"],
  },
});
