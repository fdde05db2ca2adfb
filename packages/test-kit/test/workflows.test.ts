import { globSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import { describe, expect, test } from "vitest";

const folder = fileURLToPath(new URL("../../..", import.meta.url));
const workflows = globSync(".github/workflows/*.yml", { cwd: folder }).sort();

/** Bundled, because it imports JSON without the attribute that Node needs. */
async function loadParser(): Promise<typeof import("@actions/workflow-parser")> {
  const outfile = join(mkdtempSync(join(tmpdir(), "workflows-")), "parser.mjs");
  const stdin = { contents: 'export * from "@actions/workflow-parser"', resolveDir: import.meta.dirname };
  buildSync({ stdin, outfile, bundle: true, format: "esm", platform: "node" });
  return import(pathToFileURL(outfile).href);
}
const { NoOperationTraceWriter, parseWorkflow } = await loadParser();

/** The complaints of the parser that GitHub itself publishes. */
function faultsOf(name: string, content: string): string[] {
  const { context } = parseWorkflow({ name, content }, new NoOperationTraceWriter());
  return context.errors.getErrors().map(({ message }) => message);
}

describe.each(workflows)("%s", (path) => {
  const content = readFileSync(join(folder, path), "utf8");

  test("is valid", () => {
    expect(faultsOf(basename(path), content)).toEqual([]);
  });

  test("a mistake in it would be found", () => {
    expect(faultsOf(basename(path), content.replace("runs-on:", "run-on:"))).not.toEqual([]);
    expect(faultsOf(basename(path), content.replace("timeout-minutes: ", "timeout-minutes: x"))).not.toEqual([]);
  });

  test("every npm script that it runs is there", () => {
    const { scripts } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const used = [...content.matchAll(/npm (?:run )?(test:\w+|test|start|release)\b/g)].map((match) => match[1] ?? "");
    expect(used.filter((script) => !(script in scripts))).toEqual([]);
  });
});

test("there is one for changes and one for releases", () => {
  expect(workflows.map((path) => basename(path))).toEqual(expect.arrayContaining(["ci.yml", "release.yml"]));
});

test("the one of the recipe of a CI reviewer is valid", () => {
  const page = readFileSync(join(folder, "docs/recipes/ci-reviewer.md"), "utf8");
  const content = /^```yaml\n(.*?)^```$/ms.exec(page)?.[1] ?? "";
  expect(faultsOf("review.yml", content)).toEqual([]);
  expect(faultsOf("review.yml", content.replace("runs-on:", "run-on:"))).not.toEqual([]);
});
