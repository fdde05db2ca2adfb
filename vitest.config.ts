import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    projects: ["packages/*"],
    globalSetup: "./scripts/vitest-temp.ts",
    reporters: ["default", "./scripts/totals-reporter.ts"],
  },
});
