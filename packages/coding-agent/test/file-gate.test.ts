import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** What opens, replaces, copies or makes something by its path. To look at it, and to remove it, waits for nobody and writes nothing. */
const guarded = new RegExp(
  `^(?:${[
    ...["open", "openSync", "openAsBlob", "createReadStream", "createWriteStream", "readFile", "readFileSync"],
    ...["writeFile", "appendFile", "rename", "copyFile", "cp", "mkdir", "truncate", "link", "symlink"].flatMap((name) => [
      name,
      `${name}Sync`,
    ]),
  ].join("|")})$`,
);

/** Who may do so without the gate, and why. */
const allowed: Record<string, string> = {
  "coding-agent/src/locks/lock-file.ts linkSync": "a lock appears with its content: it is a link to a file made through the gate",
  "coding-agent/src/checkpoints/fork.ts linkSync": "contents of ours, which never change: a fork shares them",
  "coding-agent/src/tools/files/local-files.ts symlink": "a link that a command had removed is put back",
  "coding-agent/src/conversation/*.ts writeFileSync": "to a descriptor",
  "coding-agent/src/locks/lock-file.ts writeFileSync": "to a descriptor",
  "coding-agent/src/modes/serve/sessions/kept-options.ts writeFileSync": "to a descriptor",
  "ai/src/recording/recording-file.ts writeFileSync": "to a descriptor",
  "coding-agent/src/exec/output-spool.ts createWriteStream": "makes a file of a random name, and none that is there",
  "coding-agent/src/exec/pipe-pool.ts mkdirSync": "one folder of a random name",
  "coding-agent/src/exec/pipe-pool.ts openSync": "our own pipes, reader first",
  "coding-agent/src/exec/process-table.ts openSync": "/proc/<pid>, hundreds at a time",
  "coding-agent/src/exec/process-table.ts readFileSync": "/proc/<pid>",
  "coding-agent/src/packages/git-packages.ts rename": "a folder of ours, a clone, takes the place of another",
  "rpc-client/src/find-cli.ts readFileSync": "a package.json that the module resolution has found, and the package stands alone",
};

const packages = fileURLToPath(new URL("../../", import.meta.url));

/** `file name` of each guarded function that a source imports from Node. */
function usesOf(file: string): string[] {
  const text = readFileSync(join(packages, file), "utf8");
  const imports = [...text.matchAll(/import (?:type )?([^;]*?) from "node:fs(?:\/promises)?"/g)].map(([, names]) => names ?? "");
  return imports.flatMap((names) => {
    if (!names.startsWith("{")) return [`${file} ${names}`]; // the whole module
    return (
      names
        .match(/\w+/g)
        ?.filter((name) => guarded.test(name))
        .map((name) => `${file} ${name}`) ?? []
    );
  });
}

test("files are opened through @pikit/ai/files only, but for a few with a reason", () => {
  const sources = ["ai", "agent", "coding-agent", "rpc-client"]
    .flatMap((name) => readdirSync(join(packages, name, "src"), { recursive: true }).map((path) => join(name, "src", String(path))))
    .filter((path) => path.endsWith(".ts") && !path.startsWith("ai/src/files/"));
  const isAllowed = (use: string) =>
    Object.keys(allowed).some((known) => known === use || known === use.replace(/[\w-]+\.ts /, "*.ts "));
  const found = sources.flatMap(usesOf);
  expect(found.filter((use) => !isAllowed(use))).toEqual([]);
  // What the list names is still there.
  const used = Object.keys(allowed).filter((known) =>
    found.some((use) => known === use || known === use.replace(/[\w-]+\.ts /, "*.ts ")),
  );
  expect(used).toEqual(Object.keys(allowed));
});
