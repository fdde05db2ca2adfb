import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { readSettings } from "../../src/config/read-settings.ts";
import { resolveServer } from "../../src/mcp/server-config.ts";
import { PromptResources } from "../../src/prompt/prompt-resources.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const docs = fileURLToPath(new URL("../../../../docs/", import.meta.url));
const workspace = useWorkspace();

async function example(page: string, language: string): Promise<string> {
  const text = await readFile(join(docs, page), "utf8");
  const found = new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, "ms").exec(text)?.[1];
  if (found === undefined) throw new Error(`${page} has no example in ${language}`);
  return found;
}

function open(problems: string[]): PromptResources {
  return new PromptResources({
    agentDir: workspace.agentDir,
    isTrusted: () => false,
    report: (problem) => problems.push(problem),
  });
}

test("the skill of docs/skills.md is one", async () => {
  await workspace.write("agent/skills/release-notes/SKILL.md", await example("skills.md", "markdown"));
  const problems: string[] = [];
  const { skills } = await open(problems).load(workspace.cwd);
  expect([skills.map(({ name }) => name), problems]).toEqual([["release-notes"], []]);
});

test("the template of docs/prompt-templates.md gives the text that stands there", async () => {
  await workspace.write("agent/prompts/review.md", await example("prompt-templates.md", "markdown"));
  const text = await open([]).expand('/review src/server.ts "error handling"', workspace.cwd);
  expect(`${text}\n`).toBe(await example("prompt-templates.md", "text"));
});

test("the settings of docs/mcp.md are valid", async () => {
  const { mcpServers = {} } = await readSettings(await workspace.write("settings.json", await example("mcp.md", "json")));
  const env = { GITHUB_TOKEN: "t" };
  const targets = Object.values(mcpServers).map((config) => resolveServer(config, { env, offline: false }).target);
  expect(targets).toMatchObject([
    { kind: "stdio", command: "npx" },
    { kind: "http", headers: { Authorization: "Bearer t" } },
  ]);
});
