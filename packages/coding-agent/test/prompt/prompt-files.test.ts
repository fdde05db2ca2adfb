import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Context } from "@pikit/ai";
import { expect, test, vi } from "vitest";
import { loadContextFiles } from "../../src/prompt/context-files.ts";
import { createScriptedSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

/** The system prompt of a session after its first prompt. */
async function systemPrompt(options: Parameters<typeof createScriptedSession>[2] = {}): Promise<string> {
  const asked: Context[] = [];
  const script = (context: Context) => {
    asked.push(context);
    return { text: "Yes." };
  };
  const { session } = await createScriptedSession(workspace, script, { session: "memory", ...options });
  await session.prompt("Hi");
  return asked[0]?.systemPrompt ?? "";
}

test("SYSTEM.md replaces the instructions and APPEND_SYSTEM.md adds to the end; those of a trusted project win, options over all", async () => {
  await workspace.write("agent/SYSTEM.md", "You are the user's.\n");
  await workspace.write("agent/APPEND_SYSTEM.md", "Added by the user.\n");
  const own = await systemPrompt();
  expect(own.startsWith("You are the user's.")).toBe(true);
  expect(own.trimEnd().endsWith("Added by the user.")).toBe(true);
  await workspace.write("work/.pi/SYSTEM.md", "You are the project's.");
  expect((await systemPrompt({ trustProject: false })).startsWith("You are the user's.")).toBe(true);
  const project = await systemPrompt({ trustProject: true });
  expect(project.startsWith("You are the project's.")).toBe(true);
  expect(project.trimEnd().endsWith("Added by the user.")).toBe(true);
  const given = await systemPrompt({ trustProject: true, systemPrompt: "You are mine.", appendSystemPrompt: "Mine too." });
  expect(given.startsWith("You are mine.")).toBe(true);
  expect(given.endsWith("Mine too.")).toBe(true);
  expect(given).not.toContain("user");
});

test("AGENTS.override.md replaces the other files of its folder only", async () => {
  await workspace.write("agent/AGENTS.md", "For all.");
  await workspace.write("work/AGENTS.md", "For work.");
  await workspace.write("work/CLAUDE.MD", "Also for work.");
  await workspace.write("work/inner/AGENTS.md", "For inner.");
  await workspace.write("work/inner/AGENTS.override.md", "Instead of inner.");
  await workspace.write("work/inner/deep/AGENTS.override.md", "  \n");
  await workspace.write("work/inner/deep/CLAUDE.md", "For deep.");
  const files = await loadContextFiles({
    ...{ cwd: join(workspace.cwd, "inner/deep"), agentDir: workspace.agentDir },
    report: (problem) => expect.fail(problem),
  });
  expect(files.map(({ text }) => text)).toEqual(["For all.", "For work.", "Also for work.", "Instead of inner.", "For deep."]);
});

test("skills for all agents: the user's, and those of a trusted project up to the root of its repository", async () => {
  const skill = (name: string) => `---\nname: ${name}\ndescription: For ${name}.\n---\nDo it.`;
  vi.stubEnv("HOME", join(workspace.root, "home"));
  await workspace.write("home/.agents/skills/mine/SKILL.md", skill("mine"));
  await workspace.write("home/.agents/skills/notes.md", skill("notes"));
  await workspace.write(".agents/skills/outside/SKILL.md", skill("outside"));
  await workspace.write("work/.agents/skills/repo/SKILL.md", skill("repo"));
  await mkdir(join(workspace.cwd, ".git"));
  await workspace.write("work/inner/.agents/skills/near/SKILL.md", skill("near"));
  await workspace.write("work/inner/.agents/skills/mine/SKILL.md", skill("mine"));
  const cwd = join(workspace.cwd, "inner");
  const problems: string[] = [];
  const namesOf = async (trustProject?: boolean) => {
    const { session } = await createScriptedSession(workspace, [], {
      ...{ cwd, session: "memory", onProblem: (line) => void problems.push(line) },
      ...(trustProject === undefined ? {} : { trustProject }),
    });
    return (await session.listCommands()).map(({ name, path }) => [name, path?.slice(workspace.root.length)]);
  };
  expect(await namesOf()).toEqual([["skill:mine", "/home/.agents/skills/mine/SKILL.md"]]);
  expect(problems).toEqual([expect.stringContaining("this folder is not trusted: 3 skills for all agents.")]);
  expect(await namesOf(true)).toEqual([
    ["skill:mine", "/work/inner/.agents/skills/mine/SKILL.md"],
    ["skill:near", "/work/inner/.agents/skills/near/SKILL.md"],
    ["skill:repo", "/work/.agents/skills/repo/SKILL.md"],
  ]);
  vi.unstubAllEnvs();
});
