import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { until } from "@pikit/test-kit";
import { expect, test } from "vitest";
import { hasPython, openRecipe, putPi, start } from "../helpers/recipe.ts";

const client = fileURLToPath(new URL("../../../../examples/rpc-python/pi_client.py", import.meta.url));
const runCells = fileURLToPath(new URL("../fixtures/run-cells.py", import.meta.url));

test.skipIf(!hasPython)("the cells of the notebook share variables, and an interrupt aborts only the run", async () => {
  const recipe = openRecipe("notebook");
  const { work, programs } = recipe;
  expect(recipe.blocks.map(({ language }) => language)).toEqual(Array(5).fill("python"));
  const [begin = "", define = "", work1 = "", cost = "", close = ""] = recipe.blocks.map(({ code }) => code);
  const wait = "touch started; until [ -e go ]; do sleep 0.02; done; touch late";
  const model = recipe.script(
    { toolCalls: [{ name: "variable", arguments: { name: "chairs" } }] },
    { toolCalls: [{ name: "variable", arguments: { name: "prices" } }] },
    { text: "The table." },
    { toolCalls: [{ name: "bash", arguments: { command: wait } }] },
    { text: "Here I am." },
  );
  const env = { ...recipe.env, PATH: `${putPi(programs, "--model", model)}:${recipe.env.PATH}`, PYTHONDONTWRITEBYTECODE: "1" };
  cpSync(client, join(work, "pi_client.py"));
  const cells = join(programs, "cells.json");
  writeFileSync(cells, JSON.stringify([begin, define, work1, 'ask("Wait")', 'ask("And now?")', cost, close]));
  const notebook = start("python3", [runCells, cells], { cwd: work, env: { ...env, PYTHONPATH: work }, detached: true });
  await until("the command", () => existsSync(join(work, "started")));
  // As Jupyter does: to the kernel and its group.
  process.kill(-(notebook.child.pid ?? 0), "SIGINT");
  expect(await notebook.ended).toBe(0);
  expect(notebook.stdout().split("\n").filter(Boolean)).toEqual([
    ...["In [1]", "In [2]", "In [3]", "[variable {'name': 'chairs'}]", "[variable {'name': 'prices'}]", "The table."],
    ...["In [4]", `[bash {'command': '${wait}'}]`, "KeyboardInterrupt"],
    ...["In [5]", "Here I am.", "In [6]", "0.00 USD", "In [7]"],
  ]);
  const session = readFileSync(join(work, "notebook.jsonl"), "utf8");
  expect(session).toContain("There is no variable chairs. There are: prices.");
  expect(session).toContain("{'lamp': 40, 'chair': 85, 'table': 2}");
});
