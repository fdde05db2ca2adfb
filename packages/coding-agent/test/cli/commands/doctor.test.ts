import { chmod } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../../helpers/cli.ts";
import { useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();

test("pi doctor on a fresh machine: what is there, and what to do about the missing key", async () => {
  const { stdout, exitCode } = await runCli(workspace, ["doctor"]);
  expect(stdout).toMatch(/^✓ pi +\d+\.\d+\.\d+, (Node v|Bun )/);
  expect(stdout).toMatch(/^✓ shell +\/.*sh$/m);
  expect(stdout).toMatch(/^✗ model +No provider has a key\. Run pi login <provider>, .* pi --model demo\/tour$/m);
  expect(stdout).toMatch(/\nOne problem\.\n$/);
  expect(exitCode).toBe(1);
});

test("pi doctor with a key: where it comes from, never the key itself, and no problem", async () => {
  await workspace.write("agent/settings.json", '{ "defaultThinkingLevel": "low" }');
  const { stdout, exitCode } = await runCli(workspace, ["doctor"], { env: { OPENAI_API_KEY: "sk-secret" } });
  expect(stdout).toMatch(/^· key +openai, from OPENAI_API_KEY$/m);
  expect(stdout).toMatch(/^✓ model +openai\/.* is the default; \d+ models can be used/m);
  expect(stdout).toMatch(/^✓ settings +.*settings\.json: defaultThinkingLevel$/m);
  expect(stdout).not.toContain("sk-secret");
  expect(exitCode).toBe(0);
});

test("pi doctor lists packages, and those that are missing", async () => {
  const path = await workspace.write("work/tools/index.js", "");
  await workspace.write("agent/settings.json", { packages: ["../work/tools", "npm:gone", "./gone"] });
  const { stdout } = await runCli(workspace, ["doctor"]);
  expect(stdout).toContain(`✓ package       ../work/tools, ${dirname(path)}\n`);
  expect(stdout).toContain("· package       npm:gone is not installed. The next session installs it.\n");
  expect(stdout).toContain(`✗ package       ./gone does not exist: ${join(workspace.agentDir, "gone")}.\n`);
});

test("pi doctor names each faulty file, and goes on", async () => {
  await workspace.write("agent/settings.json", '{ "aproval": "always-ask" }');
  await workspace.write("agent/models.json", "{ no json");
  await workspace.write("agent/auth.json", '{ "anthropic": { "type": "api_key", "key": "sk-stored" } }');
  await chmod(join(workspace.agentDir, "auth.json"), 0o644);
  const { stdout, exitCode } = await runCli(workspace, ["doctor"]);
  expect(stdout).toMatch(/^✗ settings +.*"aproval".*"approval"/m);
  expect(stdout).toMatch(/^✗ endpoints +.*models\.json is not valid JSON/m);
  expect(stdout).toMatch(/^✗ key +.*auth\.json can be read by other users\. Run: chmod 600 /m);
  expect(stdout).toMatch(/^· sessions/m);
  expect(stdout).not.toContain("sk-stored");
  expect(stdout).toMatch(/\n\d problems\.\n$/);
  expect(exitCode).toBe(1);
});
