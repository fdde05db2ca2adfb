import { readFileSync, writeFileSync } from "node:fs";

/**
 * Lets the first file of the command load the second one with `require`, which reads, links and runs it at once: `import()` waits for promises of
 * the loader, which takes 0.4 ms. All supported runtimes can `require` a module that has no `await` at its top.
 *
 * @param cli - path of the built `cli.js`.
 */
export function requireStart(cli) {
  const load = /\bawait import\((?="\.\/command\/)/g;
  const source = readFileSync(cli, "utf8");
  if (source.match(load)?.length !== 1) throw new Error(`${cli} must load one file with import(): see require-start.mjs`);
  writeFileSync(cli, source.replace(load, 'process.getBuiltinModule("node:module").createRequire(import.meta.url)('));
}
