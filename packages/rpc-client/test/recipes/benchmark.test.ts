import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { importOptions, until } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { openRecipe, start, startNode } from "../helpers/recipe.ts";

test("the adapter leaves a result, a trajectory and an exit code, for each end of a run", async () => {
  const recipe = openRecipe("benchmark");
  expect(recipe.blocks.map(({ language }) => language)).toEqual(["ts", "sh"]);
  const { programs } = recipe;
  const adapter = recipe.write("ts", "adapter.ts");
  for (const name of ["a", "b"]) {
    mkdirSync(join(programs, `tasks/${name}/repo`), { recursive: true });
    writeFileSync(join(programs, `tasks/${name}/task.md`), "/solve it\n");
  }
  const command = 'echo "key: $PI_API_KEY." > solved; touch started; until [ "$PI_WAIT" != 1 ]; do sleep 0.02; done';
  const model = recipe.script(
    { toolCalls: [{ name: "bash", arguments: { command } }] },
    { text: "Solved.", usage: { input: 7, output: 3 } },
  );
  const env = { ...recipe.env, MODEL: model, PI_API_KEY: "secret", NODE_OPTIONS: importOptions.join(" ") };
  const all = start("bash", ["--norc", "-ec", recipe.blocks[1]?.code ?? ""], { cwd: programs, env });
  const run = (out: string, more: string[], variables = {}) => {
    const args = ["--task", "tasks/a/task.md", "--folder", `tasks/${out}/repo`, "--out", `out/${out}`, "--model", model, ...more];
    mkdirSync(join(programs, `tasks/${out}/repo`), { recursive: true });
    return startNode(adapter, args, { cwd: programs, env: { ...env, ...variables } });
  };
  const resultOf = (out: string) => JSON.parse(readFileSync(join(programs, `out/${out}/result.json`), "utf8"));
  expect([await all.ended, all.stdout().trim(), all.stderr()]).toEqual([0, '2   "outcome": "done",', ""]);

  const [again, limited, failed, interrupted] = [
    run("a", []),
    run("limited", ["--turns", "1"]),
    run("failed", ["--model", recipe.script({ error: { status: 401, message: "no key" } })]),
    run("interrupted", [], { PI_WAIT: "1" }),
  ];
  await until("the command", () => existsSync(join(programs, "tasks/interrupted/repo/started")));
  interrupted.child.kill("SIGTERM");
  expect(await Promise.all([again, limited, failed, interrupted].map(({ ended }) => ended))).toEqual([2, 3, 1, 4]);

  expect(again.stderr()).toMatch(/EEXIST.*trajectory\.jsonl/);
  expect(resultOf("a")).toMatchObject({
    ...{ outcome: "done", limit: null, error: null, answer: "Solved.", model, toolCalls: 1, assistantMessages: 2 },
    tokens: expect.objectContaining({ output: expect.any(Number) }),
  });
  expect(readFileSync(join(programs, "tasks/a/repo/solved"), "utf8")).toBe("key: .\n");
  const trajectory = readFileSync(resultOf("a").trajectory, "utf8").trimEnd().split("\n");
  const roles = trajectory.map((line) => JSON.parse(line).message?.role).filter(Boolean);
  expect(roles).toEqual(["user", "assistant", "toolResult", "assistant"]);
  expect(resultOf("limited")).toMatchObject({ outcome: "limit", limit: "max-turns", toolCalls: 1 });
  expect(resultOf("failed")).toMatchObject({ outcome: "failed", error: expect.stringContaining("no key") });
  expect(resultOf("interrupted")).toMatchObject({ outcome: "interrupted", limit: null });
});
