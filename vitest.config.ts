import { defineConfig } from "vitest/config";
import { ShortProjectsLast } from "./scripts/vitest-order.ts";

export default defineConfig({
  test: {
    projects: ["packages/*", "packages/*/vitest.own-process.config.ts"],
    globalSetup: "./scripts/vitest-temp.ts",
    sequence: { sequencer: ShortProjectsLast },
    reporters: ["default", "./scripts/totals-reporter.ts"],
  },
});
