import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { defineProject, type UserProjectConfigExport } from "vitest/config";

const patienceMs = process.env.PIKIT_LONG === "1" ? 3_600_000 : 300_000;

/**
 * The tests of a package. What is set here does not reach a project from the root's configuration.
 *
 * @param isolate - Whether each file has a process of its own, as those need that start processes, listen to signals or count what is open.
 *   The others load their modules once a worker.
 * @param globalSetup - Modules that prepare something for all files, such as a server.
 */
export function testsOf(
  name: string,
  { isolate = true, globalSetup = [] }: { isolate?: boolean; globalSetup?: string[] } = {},
): UserProjectConfigExport {
  return defineProject({
    // Tests run from source: the condition names each package's src/index.ts (plain `resolve.conditions` does not reach it).
    ssr: { resolve: { conditions: ["pikit-source"] } },
    test: {
      name,
      isolate,
      globalSetup,
      include: ["test/**/*.test.ts"],
      // Programs that tests start from source are compiled once, not by each of them.
      env: { NODE_COMPILE_CACHE: fileURLToPath(new URL("../node_modules/.cache/compiled", import.meta.url)) },
      // For what hangs. Whole programs are started, on machines that may be busy or slow, so no test has a limit of its own.
      testTimeout: patienceMs,
      hookTimeout: patienceMs,
      // One more than cores, because tests wait for processes and servers a part of their time.
      maxWorkers: Math.min(4, availableParallelism() + 1),
    },
  });
}
