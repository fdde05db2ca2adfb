import { copyFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { Checks } from "../../lib/report.ts";
import { Machine, nodes, succeeded } from "../lib/machine.ts";

const programs = resolve(dirname(fileURLToPath(import.meta.url)), "../programs");

/** The compilers, and the declarations of Node of their time. */
const compilers = { "5.4": "20.12", "5.9": "22", "6.0": "24", "7.0": "24" } as const;

/** The first compiler that knows that `require` loads ES modules. Before, a program in CommonJS uses `import()`. */
const firstWithRequire = 5.8;

/** Compiles programs against the installed packages, with all declarations checked. */
export async function checkTypes(checks: Checks, folder: string, registry: string): Promise<void> {
  for (const [version, node] of Object.entries(compilers)) {
    const machine = await Machine.create(join(folder, `types-${version}`), nodes["24"], registry);
    const packages = [
      "@pikit/coding-agent",
      "@pikit/rpc-client",
      "@pikit/postgres",
      "@pikit/otel",
      `typescript@${version}`,
      `@types/node@${node}`,
    ];
    const isThere = await checks.check(`TypeScript ${version}: the packages are installed`, () =>
      machine.manage("npm", "install", ...packages),
    );
    if (!isThere) continue;
    for (const file of ["typed.ts", "typed.cts"]) await copyFile(join(programs, file), join(machine.cwd, file));
    const modules = {
      nodenext: Number(version) < firstWithRequire ? ["typed.ts"] : ["typed.ts", "typed.cts"],
      bundler: ["typed.ts"],
    };
    for (const [moduleResolution, files] of Object.entries(modules)) {
      await checks.check(`TypeScript ${version}, ${moduleResolution}: strict, with all declarations checked`, async () => {
        const compilerOptions = {
          module: moduleResolution === "bundler" ? "esnext" : moduleResolution,
          ...{ moduleResolution, target: "es2022", lib: ["es2022"], types: ["node"] },
          ...{ strict: true, skipLibCheck: false, noEmit: true },
        };
        await machine.write("tsconfig.json", JSON.stringify({ compilerOptions, files }));
        succeeded(await machine.run(nodes["24"], [join(machine.cwd, "node_modules/typescript/bin/tsc")]), "tsc");
      });
    }
  }
}
