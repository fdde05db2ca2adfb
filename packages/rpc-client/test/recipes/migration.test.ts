import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { openRecipe, putPi, start, startNode } from "../helpers/recipe.ts";

const page = readFileSync(fileURLToPath(new URL("../../../../docs/migration.md", import.meta.url)), "utf8");

test("docs/migration.md: settings and sessions of a related pi are used by the first commands, and options that are named as missing are", async () => {
  const recipe = openRecipe("migration", ".");
  const { programs, work, env } = recipe;
  expect(recipe.blocks.map(({ language }) => language)).toEqual(["sh", "json", "ts"]);
  const agentDir = env.PI_CODING_AGENT_DIR ?? "";
  const sessions = join(agentDir, `sessions/--${work.slice(1).replaceAll("/", "-")}--`);
  mkdirSync(sessions, { recursive: true });
  writeFileSync(join(agentDir, "settings.json"), recipe.blocks[1]?.code ?? "");
  writeFileSync(join(agentDir, "auth.json"), '{"anthropic": {"type": "oauth", "refresh": "r", "access": "a", "expires": 1}}');
  const at = "2025-11-20T10:00:00.000Z";
  const entry = {
    type: "message",
    id: "a1b2c3d4",
    parentId: null,
    timestamp: at,
    message: { role: "user", content: "Earlier?", timestamp: 1 },
  };
  const header = { type: "session", version: 3, id: "0199a000-0000-7000-8000-000000000001", timestamp: at, cwd: work };
  const file = join(sessions, "2025-11-20T10-00-00-000Z_0199a000-0000-7000-8000-000000000001.jsonl");
  writeFileSync(file, `${JSON.stringify(header)}\n${JSON.stringify(entry)}\n`);

  const path = `${putPi(programs)}:${env.PATH}`;
  const run = start("bash", ["--norc", "-c", `pi --help; ${recipe.blocks[0]?.code}`], { cwd: work, env: { ...env, PATH: path } });
  // Otherwise pi would wait for piped input.
  run.child.stdin.end();
  const program = startNode(recipe.write("ts", "program.ts"), [], { cwd: work, env });
  expect([await run.ended, run.stderr()]).toEqual([0, ""]);
  expect(run.stdout()).toMatch(/0199a000.*Earlier\?/);
  expect(run.stdout()).toContain("README.md is titled");
  expect(readFileSync(file, "utf8")).toContain("What did we do last?");

  expect([await program.ended, program.stderr()]).toEqual([0, ""]);
  expect(program.stdout()).toMatch(/README\.md is titled[\s\S]*\ntour: read, bash, edit, write, stock\n0\n$/);

  const [, missing = ""] = /\n\| (.*) \| do not exist; the conversation/.exec(page) ?? [];
  const options = [...missing.matchAll(/`(--[\w-]+)`/g)].map(([, option = ""]) => option);
  expect(options).toContain("--tui-mode");
  const help = run.stdout().slice(0, run.stdout().indexOf("Examples:"));
  expect(options.filter((option) => help.includes(`${option} `))).toEqual([]);
  const named = new Set([...page.matchAll(/`(?:pi )?(--[\w-]+)/g)].map(([, option = ""]) => option));
  expect([...named].filter((option) => !options.includes(option) && !help.includes(`${option} `))).toEqual([]);
});
