import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parseArguments } from "../../src/cli/args.ts";
import { toSessionOptions } from "../../src/cli/session-options.ts";
import { runCli } from "../helpers/cli.ts";
import { createScriptedSession } from "../helpers/sessions.ts";
import { readLines, rolesIn, useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

test("--session with a path that does not exist begins a session there, which the next run continues", async () => {
  const path = join(workspace.root, "sessions of mine", "new.jsonl");
  const args = ["-p", "--session", path, "--model", await workspace.script({ text: "Hello" })];
  expect(await runCli(workspace, [...args, "one"])).toMatchObject({ exitCode: 0, stdout: "Hello\n", stderr: "" });
  expect(await runCli(workspace, [...args, "two"])).toMatchObject({ exitCode: 0, stdout: "Hello\n", stderr: "" });
  expect(rolesIn(await readLines(path))).toEqual(["user", "assistant", "user", "assistant"]);
  expect(await workspace.sessionFiles()).toEqual([]);
});

test("--session with the beginning of an unknown id is still an error", async () => {
  const result = await runCli(workspace, ["-p", "--session", "01a2", "--model", await workspace.script({ text: "Hello" }), "one"]);
  expect(result).toMatchObject({ exitCode: 1, stdout: "" });
  expect(result.stderr).toContain('No session here begins with "01a2"');
});

test("--fork with --session-id gives the copy that id; an id that exists is refused", async () => {
  const model = await workspace.script({ text: "Hello" });
  await runCli(workspace, ["-p", "--session-id", "first", "--model", model, "one"]);
  const fork = ["-p", "--fork", "first", "--session-id", "second", "--model", model];
  expect(await runCli(workspace, [...fork, "two"])).toMatchObject({ exitCode: 0, stderr: "" });
  const [, copy = ""] = await workspace.sessionFiles();
  const [header] = await readLines(copy);
  expect(header).toMatchObject({ type: "session", id: "second", parentSession: (await workspace.sessionFiles())[0] });
  expect(rolesIn(await readLines(copy))).toEqual(["user", "assistant", "user", "assistant"]);
  const again = await runCli(workspace, [...fork, "three"]);
  expect(again).toMatchObject({ exitCode: 2, stdout: "" });
  expect(again.stderr).toContain('There is a session with the id "second" here.');
  expect(await workspace.sessionFiles()).toHaveLength(2);
});

test("a prompt for the system is a text or the path of a file; what is appended can be given several times", async () => {
  const path = await workspace.write("rules.md", "\uFEFFNever guess.\n");
  const options = (...args: string[]) => toSessionOptions(parseArguments(args));
  expect(options("--system-prompt", path)).toMatchObject({ systemPrompt: "Never guess.\n" });
  expect(options("--system-prompt", "Be brief.\nAlways.")).toMatchObject({ systemPrompt: "Be brief.\nAlways." });
  expect(options("--append-system-prompt", "One.", "--append-system-prompt", path)).toMatchObject({
    appendSystemPrompt: "One.\n\nNever guess.\n",
  });
  // A folder is no file, and a text that is too long for a path is not looked for.
  expect(options("--system-prompt", workspace.root)).toMatchObject({ systemPrompt: workspace.root });
  expect(options("--system-prompt", "x".repeat(10_000))).toMatchObject({ systemPrompt: "x".repeat(10_000) });
});

test("the lists of tools count for tools of extensions, too", async () => {
  const names = ["one", "two"];
  const extension: NonNullable<Parameters<typeof createScriptedSession>[2]>["extensions"] = [
    (pi) => {
      for (const name of names) {
        pi.registerTool({
          ...{ name, label: name, description: name, parameters: { type: "object", properties: {} } },
          execute: async () => ({ content: [], details: {} }),
        });
      }
    },
  ];
  const toolsWith = async (...args: string[]) => {
    const { tools, onlyTools, excludeTools } = toSessionOptions(parseArguments(args));
    const given = { ...(tools && { tools }), ...(onlyTools && { onlyTools }), ...(excludeTools && { excludeTools }) };
    const { session } = await createScriptedSession(workspace, [], { session: "memory", extensions: extension, ...given });
    return session.tools.names;
  };
  expect(await toolsWith()).toEqual(["read", "bash", "edit", "write", "one", "two"]);
  expect(await toolsWith("--tools", "grep,two")).toEqual(["grep", "two"]);
  expect(await toolsWith("--exclude-tools", "bash,one")).toEqual(["read", "edit", "write", "two"]);
  expect(await toolsWith("--no-builtin-tools")).toEqual(["one", "two"]);
  expect(await toolsWith("--no-tools")).toEqual([]);
});

test("an option without effect is one line on stderr, and the run goes on", async () => {
  const model = await workspace.script({ text: "Hello" });
  const result = await runCli(workspace, ["-p", "--verbose", "--no-themes", "--model", model, "one"]);
  expect(result).toMatchObject({ exitCode: 0, stdout: "Hello\n" });
  expect(result.stderr).toBe("--verbose has no effect: pi doctor lists what is configured.\n");
});

test("paths of skills count even with --no-skills", async () => {
  const skill = (name: string) => `---\nname: ${name}\ndescription: For ${name}.\n---\nDo it.`;
  await workspace.write("agent/skills/known/SKILL.md", skill("known"));
  const path = await workspace.write("mine/given/SKILL.md", skill("given"));
  const requests = '{"type":"get_commands","id":"1"}\n';
  const result = await runCli(workspace, ["--mode", "rpc", "--no-session", "--no-skills", "--skill", path], { input: requests });
  expect(result.stdout).toContain("skill:given");
  expect(result.stdout).not.toContain("skill:known");
  expect(await readFile(path, "utf8")).toContain("given");
});
