import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../../helpers/cli.ts";
import { hasTerminal, runInTerminal } from "../../helpers/terminal.ts";
import { useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();
const authFile = () => join(workspace.agentDir, "auth.json");

async function stored(): Promise<unknown> {
  return JSON.parse(await readFile(authFile(), "utf8"));
}

test("pi login stores a key from stdin for the user alone, beside the other keys; pi logout removes it", async () => {
  expect(await runCli(workspace, ["login", "anthropic"], { input: "sk-one\n" })).toEqual({
    stdout: `The key of anthropic is stored in ${authFile()}.\n`,
    ...{ stderr: "", exitCode: 0 },
  });
  expect((await stat(authFile())).mode & 0o777).toBe(0o600);
  await runCli(workspace, ["login", "openai"], { input: "sk-two" });
  expect(await stored()).toEqual({
    anthropic: { type: "api_key", key: "sk-one" },
    openai: { type: "api_key", key: "sk-two" },
  });
  const { stdout } = await runCli(workspace, ["--list-models"]);
  expect(stdout).toContain("anthropic/");
  expect(await runCli(workspace, ["logout", "anthropic"], { env: { ANTHROPIC_API_KEY: "sk-env" } })).toEqual({
    stdout: `The key of anthropic was removed from ${authFile()}.\n`,
    ...{ stderr: "ANTHROPIC_API_KEY in the environment still gives a key of anthropic.\n", exitCode: 0 },
  });
  expect(await stored()).toEqual({ openai: { type: "api_key", key: "sk-two" } });
  const other = await runCli(workspace, ["logout", "google"], { env: { GOOGLE_API_KEY: "g" } });
  expect(other.stderr).toBe("GOOGLE_API_KEY in the environment still gives a key of google.\n");
  expect((await runCli(workspace, ["logout", "anthropic"])).stdout).toBe(`There is no key of anthropic in ${authFile()}.\n`);
});

test.each([
  ["nothing", ["login", "anthropic"], "", /expected one word, but got nothing\. Nothing was stored\./],
  ["several words", ["login", "anthropic"], "two words\n", /got several words/],
  ["a file", ["login", "anthropic"], "k".repeat(20_000), /got a longer text/],
  ["no provider", ["login"], "sk", /Usage: pi login <provider>.*\nProviders: anthropic, /],
  ["an unknown provider", ["login", "anthropc"], "sk", /There is no provider "anthropc".*Did you mean "anthropic"\?/],
])("pi login with %s stores nothing", async (_what, args, input, message) => {
  const { stderr, exitCode } = await runCli(workspace, args, { input });
  expect(stderr).toMatch(message);
  expect(exitCode).toBe(2);
  await expect(stat(authFile())).rejects.toMatchObject({ code: "ENOENT" });
});

test("pi login accepts a provider of models.json", async () => {
  await workspace.write(
    "agent/models.json",
    JSON.stringify({ providers: { mine: { baseUrl: "http://127.0.0.1:9/v1", api: "openai-completions", models: [{ id: "m" }] } } }),
  );
  expect((await runCli(workspace, ["login", "mine"], { input: "sk-mine" })).exitCode).toBe(0);
  expect((await runCli(workspace, ["--list-models"])).stdout).toContain("mine/m");
});

test.skipIf(!hasTerminal)("on a terminal the key is asked for and not shown", async () => {
  const typed = [{ after: "not shown: ", keys: "sk-typed\r" }];
  const { output } = await runInTerminal(workspace, ["login", "anthropic"], { typed });
  expect(output).toContain("API key of anthropic (as in ANTHROPIC_API_KEY), not shown: ");
  expect(output).toContain("is stored in");
  expect(output).not.toContain("sk-typed");
  expect(await stored()).toEqual({ anthropic: { type: "api_key", key: "sk-typed" } });
});
