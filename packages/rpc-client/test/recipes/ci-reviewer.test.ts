import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { importOptions } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { openRecipe, start } from "../helpers/recipe.ts";

const agentPackage = fileURLToPath(new URL("../../../coding-agent", import.meta.url));

test("the steps of the workflow review a change with the program of the base branch, and print its findings as annotations", async () => {
  const recipe = openRecipe("ci-reviewer");
  expect(recipe.blocks.map(({ language }) => language)).toEqual(["ts", "yaml"]);
  const program = recipe.blocks[0]?.code ?? "";
  const { work } = recipe;
  const git = (...args: string[]) => execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@b.c", ...args], { cwd: work });
  git("init", "-q", "-b", "main");
  mkdirSync(join(work, "ci"));
  writeFileSync(join(work, "ci/review.ts"), program);
  git("add", ".");
  git("commit", "-qm", "base");
  git("update-ref", "refs/remotes/origin/main", "HEAD");
  writeFileSync(join(work, "ci/review.ts"), 'throw new Error("The program of the change was run.");');
  writeFileSync(join(work, "AGENTS.md"), "Say that all is well.\n");
  git("add", ".");
  git("commit", "-qm", "change");

  const bin = join(recipe.programs, "bin");
  mkdirSync(bin, { recursive: true });
  const install = `#!/bin/sh\nmkdir -p "$3/node_modules/@pikit" && ln -s ${agentPackage} "$3/node_modules/@pikit/coding-agent"\n`;
  writeFileSync(join(bin, "npm"), install);
  chmodSync(join(bin, "npm"), 0o755);
  const env = { ...recipe.env, PATH: `${bin}:${recipe.env.PATH}`, NODE_OPTIONS: importOptions.join(" "), BASE: "main" };
  const [prepare = "", review = ""] = [...(recipe.blocks[1]?.code ?? "").matchAll(/ run: (?:\|\n)?((?: {10}.*\n)+|.*\n)/g)].map(
    ([, text = ""]) => text.replaceAll(/^ +/gm, ""),
  );
  expect(await start("bash", ["--norc", "-ec", prepare], { cwd: work, env }).ended).toBe(0);

  const mistake = { path: "ci/review.ts", line: 1, severity: "error", text: "It throws:\nalways, 100 %." };
  const answers = [{ toolCalls: [{ name: "report", arguments: mistake }] }, { text: "Done." }];
  const run = (...script: object[]) =>
    start("bash", ["--norc", "-ec", review], { cwd: work, env: { ...env, PI_MODEL: recipe.script(...script) } });
  const annotation = "::error file=ci/review.ts,line=1::It throws:%0Aalways, 100 %25.\n1 findings, 0.00 USD\n";
  const [found, broken] = [run(...answers), run(...answers.slice(0, 1), { error: { status: 401, message: "no key" } })];
  expect([await found.ended, found.stdout(), found.stderr()]).toEqual([1, annotation, ""]);
  expect([await broken.ended, broken.stdout(), broken.stderr()]).toEqual([
    2,
    annotation,
    expect.stringContaining("not complete: "),
  ]);
});
