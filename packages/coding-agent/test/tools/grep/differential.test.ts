import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { AgentToolResult } from "@pikit/agent";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createGrepTool } from "../../../src/tools/grep/definition.ts";
import type { GrepParameters } from "../../../src/tools/grep/parameters.ts";
import type { GrepDetails } from "../../../src/tools/grep/render-matches.ts";
import { useTempFolder } from "../../exec/temp-folder.ts";
import { runTool } from "../run-tool.ts";
import { makeTree, type Tree } from "../search/tree.ts";

const folder = useTempFolder();

const folderNames = ["a", "b", "a-b", "A", "é", ".hidden", "dist", "src"];
const fileNames = ["x.ts", "y.js", "z.log", "README", ".env", "a.test.ts", "ﬀ😀.md", "-e"];
const lines = [
  "hit",
  "Hit me",
  "no",
  "",
  "a hit b",
  "été 42",
  "foo(bar)",
  "\ttab",
  "hit\rhit",
  "HIT",
  "x".repeat(700),
  "ß_9",
  "“q”",
];
const rules = [
  "*.log",
  "dist/",
  "/a",
  "!x.ts",
  "a/b",
  "**/b",
  "src/**",
  "*.ts",
  "!a.test.ts",
  "# no",
  "",
  "\\!x",
  "[ab]",
  "?.ts",
  "a-b/",
  "!dist/",
  "/src/*.js",
];

/** Its NUL comes after the first block, so that lines of it are found before it is seen to be binary. */
const lateBinary = Buffer.from(`hit\n${"long text\n".repeat(8000)}\0hit\n`);
const content = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.array(fc.constantFrom(...lines), { maxLength: 8 }), fc.constantFrom("\n", "\r\n"))
      .map(([all, end]) => all.map((line) => line + end).join("")),
  },
  { weight: 1, arbitrary: fc.constant(Buffer.from("hit\0binary\nhit\n")) },
  {
    weight: 1,
    arbitrary: fc.constant(lateBinary),
  },
  { weight: 1, arbitrary: fc.constant(Buffer.from("\ufeffhit in UTF-16\r\nno\r\n", "utf16le")) },
  { weight: 1, arbitrary: fc.constant("\ufeffhit after a mark\nhit") },
);
const folderPath = fc
  .array(fc.constantFrom(...folderNames), { maxLength: 3 })
  .map((names) => names.map((name) => `${name}/`).join(""));
const file = fc
  .tuple(folderPath, fc.constantFrom(...fileNames), content)
  .map(([path, name, text]) => [`${path}${name}`, text] as const);
const ignoreFile = fc
  .tuple(folderPath, fc.array(fc.constantFrom(...rules), { minLength: 1, maxLength: 4 }))
  .map(([path, all]) => [`${path}.gitignore`, `${all.join("\n")}\n`] as const);
const repository = fc
  .tuple(folderPath, fc.constantFrom(".git/HEAD", ".git", ".jj/x"))
  .map(([path, marker]) => [`${path}${marker}`, "hit\n"] as const);
const entries = fc.tuple(
  fc.array(file, { minLength: 1, maxLength: 14 }),
  fc.array(ignoreFile, { maxLength: 3 }),
  fc.array(repository, { maxLength: 2 }),
);
const params = fc.record(
  {
    pattern: fc.constantFrom(
      "hit",
      "^hit",
      "hit$",
      "[hH]it",
      "\\bhit\\b",
      "\\w+ \\d+",
      "^$",
      "(bar)",
      "no|été",
      "\\S+\\s\\S",
      "é",
      "[^a-z]",
      "x{3,}",
      "-e",
      ".",
    ),
    path: fc.constantFrom(".", "a", "src", "dist", "a/b"),
    glob: fc.constantFrom("*.ts", "*.{ts,js}", "a/**", "**/x.ts", "!*.log", "src/", "a*/*.ts", "/x.ts", "[xy].*", "**"),
    ignoreCase: fc.boolean(),
    literal: fc.boolean(),
    context: fc.integer({ min: 0, max: 3 }),
    limit: fc.integer({ min: 1, max: 12 }),
  },
  { requiredKeys: ["pattern"] },
);

/** A path that one entry uses as a file and another as a folder. */
function withoutClashes(all: (readonly [string, string | Uint8Array])[]): Tree {
  const tree: Tree = {};
  for (const [path, text] of all) {
    const clashes = Object.keys(tree).some(
      (other) => other === path || other.startsWith(`${path}/`) || path.startsWith(`${other}/`),
    );
    if (!clashes) tree[path] = text;
  }
  return tree;
}

async function outcome(run: Promise<AgentToolResult<GrepDetails>>): Promise<unknown> {
  return run.catch((error: Error & { code?: string }) => ({ code: error.code, message: error.message }));
}

test("TL-041 with and without ripgrep the results are the same, whatever the tree and the search", async () => {
  let round = 0;
  const property = fc.asyncProperty(
    entries,
    fc.array(params, { minLength: 1, maxLength: 4 }),
    async ([files, ignored, markers], searches) => {
      const cwd = join(folder.path, String(round++));
      await makeTree(cwd, withoutClashes([...markers, ...files, ...ignored]));
      try {
        for (const { limit = 100, ...rest } of searches as GrepParameters[]) {
          // A limit that is reached inside such a file ends the search before or after its NUL is seen.
          const search = files.some(([, text]) => text === lateBinary) ? rest : { ...rest, limit };
          const fast = await outcome(runTool(createGrepTool(cwd), search));
          const slow = await outcome(runTool(createGrepTool(cwd, { findRipgrep: async () => undefined }), search));
          expect(slow).toEqual(fast);
        }
      } finally {
        await rm(cwd, { recursive: true, force: true });
      }
    },
  );
  await fc.assert(property, { numRuns: process.env.PIKIT_LONG === "1" ? 3000 : 80, seed: 20_251_122 });
});
