import { execFileSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { localFiles } from "../../../src/tools/files/local-files.ts";
import { findRipgrep } from "../../../src/tools/grep/ripgrep-process.ts";
import { walkTree } from "../../../src/tools/search/walk.ts";
import { useTempFolder } from "../../exec/temp-folder.ts";
import { createMemoryFiles } from "../files/memory-files.ts";
import { makeTree, type Tree } from "./tree.ts";

const folder = useTempFolder();

async function walk(root: string, files = localFiles): Promise<string[]> {
  const found: string[] = [];
  const { signal } = new AbortController();
  for await (const { path } of walkTree({ files, root, signal, accept: ({ type }) => type !== "directory" })) found.push(path);
  return found;
}

test.each<[title: string, tree: Tree, root: string, expected: string[]]>([
  [
    "a folder that a rule below readmits",
    { ".gitignore": "/a/b/\n", "a/.gitignore": "!b/\n", "a/b/c": "", "a/b/d/e": "" },
    "",
    ["a/b/c", "a/b/d/e"],
  ],
  ["a file in an excluded folder stays excluded", { ".gitignore": "a/\n!a/keep\n", "a/keep": "" }, "", []],
  ["all but one", { ".gitignore": "/*\n!/a\n", "a/b": "", c: "" }, "", ["a/b"]],
  [
    "a root inside of an excluded folder",
    { ".git/HEAD": "", ".gitignore": "x/\n*.log\n", "x/y/z/a": "", "x/y/z/a.log": "", "x/y/z/x/b": "" },
    "x/y/z",
    ["a"],
  ],
  ["names with special characters", { ".gitignore": "[a]/\n", "a/b": "", "[a]/b": "" }, "[a]", ["b"]],
  [
    "rules with CRLF and a byte order mark",
    { ".gitignore": "\ufeff*.log\r\n*.tmp\r\n", "a.log": "", "b.tmp": "", c: "" },
    "",
    ["c"],
  ],
  ["a .gitignore that is a folder", { ".gitignore/a": "", b: "" }, "", [".gitignore/a", "b"]],
])("TL-033 %s", async (_, tree, root, expected) => {
  await makeTree(folder.path, tree);
  const found = await walk(join(folder.path, root));
  expect(found.filter((path) => !path.endsWith(".gitignore"))).toEqual(expected);
});

test("a .gitignore that is a link counts, one that is a pipe or a device is not touched", async () => {
  await makeTree(folder.path, {
    rules: "*.log\n",
    "a/.gitignore": "-> ../rules",
    "a/x.log": "",
    "b/.gitignore": "-> /dev/zero",
    "b/x.log": "",
  });
  await makeTree(folder.path, { "c/x.log": "" });
  execFileSync("mkfifo", [join(folder.path, "c/.gitignore")]);
  expect(await walk(folder.path)).toEqual(["a/.gitignore", "b/.gitignore", "b/x.log", "c/.gitignore", "c/x.log", "rules"]);
});

test("leaving early leaves nothing unhandled", async () => {
  const files = createMemoryFiles({ "/w/a/x": "", "/w/b/x": "", "/w/c/x": "" });
  const readdir = (path: string) => (path === "/w/c" ? Promise.reject(new Error("no")) : files.readdir(path));
  const { signal } = new AbortController();
  for await (const { path } of walkTree({ files: { ...files, readdir }, root: "/w", signal, accept: () => true })) {
    expect(path).toBe("a");
    break;
  }
  await new Promise((resolve) => setImmediate(resolve));
});

const names = ["a", "b", "c", "ab", "x.log", "y.log", "x.txt", "src", "build"];
const rules = [
  "*.log",
  "!x.log",
  "build/",
  "/a",
  "a/b",
  "**/c",
  "src/**",
  "a/**/x.txt",
  "!a",
  "*",
  "!*/",
  "!src/",
  "b*",
  "?",
  "[abc]",
  "!b/c",
  "/src/*",
  "**",
  "#a",
  "\\#a",
  "a ",
  "\\a",
];
const path = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 });
const ignoreFile = fc.tuple(
  fc.array(fc.constantFrom(...names), { maxLength: 2 }),
  fc.array(fc.constantFrom(...rules), { minLength: 1, maxLength: 5 }),
);

test("a .gitignore that cannot be read has no rules, but a fault of the file access itself ends the walk", async () => {
  const files = createMemoryFiles({ "/r/.gitignore": "*", "/r/a": "" });
  const failing = (failure: Error) => ({
    ...files,
    stat: async (path: string) => (path.endsWith(".gitignore") ? Promise.reject(failure) : files.stat(path)),
  });
  const denied = Object.assign(new Error("denied"), { code: "EACCES" });
  expect(await walk("/r", failing(denied))).toEqual([".gitignore", "a"]);
  await expect(walk("/r", failing(new Error("a mistake in the adapter")))).rejects.toThrow("a mistake in the adapter");
});

test("TL-033 the walk finds the files that ripgrep finds", async () => {
  const program = (await findRipgrep()) ?? "";
  const args = [
    "--no-config",
    "--files",
    "--hidden",
    "--sort=path",
    "--glob=!.git",
    "--no-ignore-dot",
    "--no-ignore-exclude",
    "--no-ignore-global",
  ];
  let round = 0;
  const property = fc.asyncProperty(
    fc.array(path, { minLength: 1, maxLength: 14 }),
    fc.array(ignoreFile, { maxLength: 3 }),
    fc.array(fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 2 }), { maxLength: 1 }),
    async (files, ignored, nested) => {
      const root = join(folder.path, String(round++));
      const tree: Tree = { ".git/HEAD": "" };
      for (const inner of nested) tree[`${inner.join("/")}/.git/HEAD`] = "";
      for (const [inner, lines] of ignored) tree[[...inner, ".gitignore"].join("/")] = lines.join("\n");
      for (const file of files) {
        const name = file.join("/");
        const clashes = Object.keys(tree).some(
          (other) => other === name || other.startsWith(`${name}/`) || name.startsWith(`${other}/`),
        );
        if (!clashes) tree[name] = "";
      }
      await makeTree(root, tree);
      try {
        const output = execFileSync("sh", ["-c", '"$@" || [ $? -eq 1 ]', "sh", program, ...args], { cwd: root, encoding: "utf8" });
        expect(await walk(root)).toEqual(output.split("\n").slice(0, -1));
      } finally {
        await rm(root, { recursive: true, force: true });
      }
    },
  );
  await fc.assert(property, { numRuns: process.env.PIKIT_LONG === "1" ? 5000 : 150, seed: 20_251_122 });
});
