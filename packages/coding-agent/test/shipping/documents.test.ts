import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { readEffects } from "../../src/approvals/shell/read-effects.ts";
import { parseArguments } from "../../src/cli/args.ts";
import { subcommandWords } from "../../src/cli/help.ts";
import { localFiles } from "../../src/tools/files/local-files.ts";
import { built, root, run, temporaryFolder } from "./helpers.ts";

const documents = ["*.md", "docs/**/*.md", "packages/*/README.md", "examples/**/*.md", "benchmarks/*.md"]
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  .filter((file) => !file.includes("node_modules"))
  .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));

/** A fenced block of code. */
interface Block {
  /** Where it is, for a reader. */
  where: string;
  language: string;
  code: string;
}

const blocks: readonly Block[] = documents.flatMap(({ file, text }) =>
  [...text.matchAll(/^( *)```([^\n]*)\n(.*?)^\1```$/gms)].map(([block, indent = "", language = "", code = ""]) => ({
    where: `${file}:${text.slice(0, text.indexOf(block)).split("\n").length}`,
    language,
    code: code.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
  })),
);

const blocksIn = (...languages: string[]): readonly Block[] => blocks.filter(({ language }) => languages.includes(language));

/** Languages of blocks that are shown only: pi reads or writes none of them here. Tests of the recipes use their workflow and their page. */
const shown = new Set(["", "text", "markdown", "elisp", "lua", "sql", "yaml", "html"]);
const verified = new Set(["ts", "ts no-run", "js", "json", "jsonl", "sh", "python"]);

test("each example is in a language that is verified, or is only shown", () => {
  expect(blocks.length).toBeGreaterThan(80);
  expect(blocks.filter(({ language }) => !verified.has(language) && !shown.has(language)).map(({ where }) => where)).toEqual([]);
});

test("programs compile against the packages as they are published", async () => {
  const folder = await temporaryFolder({ "package.json": '{ "type": "module" }' });
  await mkdir(join(folder, "node_modules/@pikit"), { recursive: true });
  for (const name of readdirSync(join(root, "packages"))) {
    if (existsSync(join(root, "packages", name, "dist"))) built(name, "index.js");
    await symlink(join(root, "packages", name), join(folder, "node_modules/@pikit", name));
  }
  // What the examples import from others, from where it is installed for us.
  for (const path of [
    "coding-agent/node_modules/zod",
    "postgres/node_modules/pg-boss",
    "ai/node_modules/@sinclair",
    "otel/node_modules/@opentelemetry",
  ]) {
    await symlink(join(root, "packages", path), join(folder, "node_modules", basename(path)));
  }
  await mkdir(join(folder, "node_modules/@slack"));
  await symlink(join(root, "packages/rpc-client/test/fixtures/slack-bolt"), join(folder, "node_modules/@slack/bolt"));
  const names = new Map<string, string>();
  for (const [index, { where, code, language }] of blocksIn("ts", "ts no-run", "js").entries()) {
    const name = `example-${index}.${language === "js" ? "js" : "ts"}`;
    names.set(name, where);
    await writeFile(join(folder, name), code);
  }
  const compilerOptions = {
    ...{
      module: "nodenext",
      target: "es2024",
      lib: ["es2024", "esnext.disposable"],
      strict: true,
      noEmit: true,
      skipLibCheck: true,
    },
    // Every example is a module of its own, whatever its imports are.
    ...{ moduleDetection: "force", allowJs: true, allowImportingTsExtensions: true },
    ...{ types: ["node"], typeRoots: [join(root, "node_modules/@types")] },
  };
  await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["example-*"] }));
  const { stdout } = await run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder], { cwd: folder });
  const problems = stdout.replaceAll(/^example-\d+\.[jt]s/gm, (name) => `${names.get(name)} + line `);
  expect(problems).toBe("");
});

test("JSON is JSON", () => {
  const broken = blocksIn("json", "jsonl").flatMap(({ where, language, code }) => {
    try {
      for (const text of language === "json" ? [code] : code.trim().split("\n")) JSON.parse(text);
      return [];
    } catch (error) {
      return [`${where}: ${(error as Error).message}`];
    }
  });
  expect(broken).toEqual([]);
});

test("Python compiles", async ({ skip }) => {
  const code = "import ast, json, sys\nfor text in json.load(sys.stdin): ast.parse(text)";
  const input = JSON.stringify(blocksIn("python").map((block) => block.code));
  const finished = await run("python3", ["-c", code], { cwd: root, input }).catch(() => undefined);
  if (finished === undefined) skip("needs python3");
  expect(finished).toEqual({ code: 0, stdout: "", stderr: "" });
});

describe("shell commands", () => {
  const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };

  test("are understood, and name options of pi and scripts of npm that exist", async () => {
    const problems: string[] = [];
    let count = 0;
    for (const { where, code } of blocksIn("sh")) {
      const { effects, parts } = await readEffects(code, { cwd: "/project", files: localFiles });
      for (const effect of effects) if (effect.kind === "unreadable") problems.push(`${where}: ${effect.what}`);
      for (const { words } of parts) {
        const [program = "", ...args] = words;
        const problem =
          program === "npm" ? npmProblem(args) : program === "pi" || program === "pikit" ? piProblem(args) : undefined;
        if (problem !== undefined) problems.push(`${where}: ${words.join(" ")}: ${problem}`);
        if (program === "pi") count += 1;
      }
    }
    expect(problems).toEqual([]);
    expect(count).toBeGreaterThan(20);
  });

  function npmProblem([command = "", ...args]: readonly string[]): string | undefined {
    if (command === "start" || command === "test") return undefined;
    if (command === "run") return args[0] !== undefined && args[0] in scripts ? undefined : "there is no such script";
    return command === "install" ? undefined : "this command is not known here";
  }

  function piProblem(args: readonly string[]): string | undefined {
    const known = subcommandWords()[args[0] ?? ""];
    if (known) {
      const unknown = args.find((arg) => arg.startsWith("--") && !known.includes(arg.replace(/=.*$/s, "")));
      return unknown === undefined ? undefined : `${unknown} is no option of pi ${args[0]}`;
    }
    try {
      parseArguments(args);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }
});

test("links lead to files, and to headings in them", () => {
  const headings = new Map(documents.map(({ file, text }) => [file, slugsOf(text)]));
  let count = 0;
  const broken = documents.flatMap(({ file, text }) =>
    [...text.replaceAll(/^( *)```.*?^\1```$/gms, "").matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, link = ""]) => {
      if (/^[a-z]+:/.test(link)) return [];
      count += 1;
      const [path = "", heading] = link.split("#");
      const target = path === "" ? file : relative(root, resolve(root, dirname(file), path));
      if (!existsSync(join(root, target))) return [`${file}: ${link}`];
      const slugs = headings.get(target);
      return heading === undefined || slugs === undefined || slugs.has(heading) ? [] : [`${file}: ${link}`];
    }),
  );
  expect(broken).toEqual([]);
  expect(count).toBeGreaterThan(100);
});

/** The names by which links reach the headings of a document, as GitHub makes them. */
function slugsOf(text: string): Set<string> {
  const slugs = new Set<string>();
  for (const [, heading = ""] of text.replaceAll(/^```.*?^```$/gms, "").matchAll(/^#+ (.+)$/gm)) {
    const slug = heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(" ", "-");
    let name = slug;
    for (let count = 1; slugs.has(name); count += 1) name = `${slug}-${count}`;
    slugs.add(name);
  }
  return slugs;
}
