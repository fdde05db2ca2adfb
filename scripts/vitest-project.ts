import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { configDefaults, defineProject, type UserProjectConfigExport } from "vitest/config";

const patienceMs = process.env.PIKIT_LONG === "1" ? 3_600_000 : 300_000;
const fromHere = (path: string) => fileURLToPath(new URL(path, import.meta.url));

interface ProjectOptions {
  /** Patterns of the test files. Default: all of the package. */
  include?: string[];
  /** Patterns of files that another project of the package runs. Default: none. */
  exclude?: string[];
  /**
   * Whether each file has a process of its own. Default: false. Then a worker loads the modules of the package once for all its files, which
   * saves a third of a second a file; `shared-worker.ts` fails a file that leaves something behind for the next.
   */
  isolate?: boolean;
  /** Modules that prepare something for all files, such as a server. */
  globalSetup?: string[];
}

/** The tests of a package, or a part of them. What is set here does not reach a project from the root's configuration. */
export function testsOf(
  name: string,
  { include = ["test/**/*.test.ts"], exclude = [], isolate = false, globalSetup = [] }: ProjectOptions = {},
): UserProjectConfigExport {
  return defineProject({
    // Tests run from source: the condition names each package's src/index.ts (plain `resolve.conditions` does not reach it).
    ssr: { resolve: { conditions: ["pikit-source"] } },
    test: {
      name,
      isolate,
      globalSetup,
      setupFiles: isolate ? [] : [fromHere("./shared-worker.ts")],
      include,
      exclude: [...configDefaults.exclude, ...exclude],
      // Programs that tests start from source are compiled once, not by each of them.
      env: { NODE_COMPILE_CACHE: fromHere("../node_modules/.cache/compiled") },
      // For what hangs. Whole programs are started, on machines that may be busy or slow, so no test has a limit of its own.
      testTimeout: patienceMs,
      hookTimeout: patienceMs,
      // One more than cores, because tests wait for processes and servers a part of their time.
      maxWorkers: Math.min(4, availableParallelism() + 1),
    },
  });
}
