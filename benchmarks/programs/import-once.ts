// Run by adapters.ts in a process of its own: prints the milliseconds that one import takes, with the compile cache on.
import { enableCompileCache } from "node:module";

enableCompileCache();
const [file, api] = process.argv.slice(2) as [string, string?];
const start = performance.now();
const imported = (await import(file)) as { loadApi?: (name: string) => Promise<unknown> };
const afterImport = performance.now();
// For the adapter only its own load counts: the package's index is there already when a model is chosen.
if (api === undefined) console.log(afterImport - start);
else {
  await imported.loadApi?.(api);
  console.log(performance.now() - afterImport);
}
