import { equal, match, ok } from "node:assert/strict";
import { runProgram } from "../../lib/run-program.ts";
import { type Agent, call, resultsOf } from "../lib/agent.ts";
import type { Workspace } from "../lib/workspace.ts";
import type { ExampleFlow } from "./example-flows.ts";

const done = { text: "Done." };

/** Runs git in the working folder, as a person who has never configured it. */
async function git({ cwd, env }: Workspace, ...args: string[]): Promise<string> {
  const identity = { GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@b.c", GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@b.c" };
  Object.assign(env, identity);
  const { code, stdout, stderr } = await runProgram("git", args, { cwd, env });
  if (code !== 0) throw new Error(`git ${args[0]} failed: ${stderr}`);
  return stdout;
}

/** A repository with a commit, and a file that is not committed. */
async function makeRepository(workspace: Workspace): Promise<void> {
  await workspace.write("work/lamp.txt", "one\n");
  await git(workspace, "init", "-q");
  await git(workspace, "add", "-A");
  await git(workspace, "commit", "-qm", "Begin");
  await workspace.write("work/lamp.txt", "two\n");
}

function showing(command: string, expected: RegExp): ExampleFlow {
  return {
    answers: [done],
    async run(agent: Agent) {
      await agent.prompt(command);
      match(agent.shown, expected);
    },
  };
}

/** Examples that need something in the places where they look: files of the user, a repository, a program. */
export const exampleFlowsWithPlaces: Readonly<Record<string, ExampleFlow>> = {
  preset: {
    answers: [done],
    prepare: async ({ write }) => {
      await write("home/.pi/agent/presets.json", JSON.stringify({ look: { tools: ["read"], instructions: "Only look." } }));
    },
    async run(agent) {
      await agent.prompt("/preset look");
      match(agent.shown, /Preset \\"look\\" activated/);
    },
  },
  "claude-rules": {
    answers: [done],
    prepare: async ({ write }) => {
      await write("work/.claude/rules/style.md", "Use tabs.\n");
    },
    async run(agent) {
      await agent.prompt("Hi");
      match(agent.shown, /Found 1 rule\(s\)/);
    },
  },
  "dirty-repo-guard": {
    answers: [done],
    prepare: makeRepository,
    async run(agent) {
      await agent.prompt("Hi");
      agent.answerWith({ select: { value: "No, let me commit first" } });
      equal((await agent.ask({ type: "new_session" })).cancelled, true);
      agent.answerWith({ select: { value: "Yes, proceed anyway" } });
      equal((await agent.ask({ type: "new_session" })).cancelled, false);
    },
  },
  "auto-commit-on-exit": {
    answers: [{ text: "Two lamps." }],
    prepare: makeRepository,
    async run(agent, workspace) {
      await agent.prompt("Hi");
      equal(await agent.end(), 0);
      match(await git(workspace, "log", "--oneline"), /\[pi\] Two lamps\./);
    },
  },
  "git-checkpoint": {
    answers: [call("write", { path: "lamp.txt", content: "three\n" }), done],
    prepare: makeRepository,
    async run(agent) {
      await agent.prompt("Change it");
      const { messages } = await agent.ask({ type: "get_fork_messages" });
      const [first] = messages as { entryId: string }[];
      ok(first);
      equal((await agent.ask({ type: "fork", entryId: first.entryId })).cancelled, false);
    },
  },
  subagent: {
    answers: [call("subagent", { agent: "looker", task: "Look around" }), done],
    prepare: async ({ write }) => {
      await write("home/.pi/agent/agents/looker.md", "---\nname: looker\ndescription: Looks\ntools: read, bash\n---\nYou look.\n");
      await write("home/.pi/agent/settings.json", JSON.stringify({ defaultProvider: "demo", defaultModel: "tour" }));
      await write("work/lighthouse.txt", "Two lamps.\n");
    },
    async run(agent) {
      // Its own pi has the default model, or that of its parent: the one finds the file, the other plays the script.
      match(resultsOf("subagent", await agent.prompt("Ask it")), /"exitCode":0/);
    },
  },
  "built-in-tool-renderer": {
    answers: [call("bash", { command: "echo lamp" }), done],
    run: async (agent) => match(resultsOf("bash", await agent.prompt("Go")), /lamp/),
  },
  "minimal-mode": {
    answers: [call("bash", { command: "echo lamp" }), done],
    run: async (agent) => match(resultsOf("bash", await agent.prompt("Go")), /lamp/),
  },
  "custom-compaction": {
    answers: [done, { text: "A summary." }],
    async run(agent) {
      await agent.prompt("Hi");
      match(String((await agent.ask({ type: "compact" })).summary), /A summary\./);
      match(agent.shown, /Custom compaction extension triggered/);
    },
  },
  "reload-runtime": {
    answers: [done],
    async run(agent) {
      await agent.prompt("/reload-runtime");
      ok((await agent.commandNames()).includes("reload-runtime"));
    },
  },
  notify: {
    answers: [done],
    async run(agent) {
      await agent.prompt("Hi");
      match(agent.lines.stderr, /Ready for input/);
    },
  },
  question: {
    answers: [call("question", { question: "Which?", options: [{ label: "A" }, { label: "B" }] }), done],
    run: async (agent) => match(resultsOf("question", await agent.prompt("Go")), /UI not available|cancelled/i),
  },
  "custom-footer": showing("/footer", /Custom footer enabled/),
  "working-indicator": showing("/working-indicator dot", /Working indicator set to/),
  // The older ones open a component without a look at the mode: without a terminal, nothing is shown.
  tools: showing("/tools", /^$|requires TUI mode/),
  snake: showing("/snake", /^$|requires interactive mode/),
  qna: showing("/qna", /requires interactive mode|No assistant messages found/),
  handoff: showing("/handoff go on", /requires interactive mode|No conversation to hand off/),
  summarize: showing("/summarize", /No conversation text found|Preparing summary/),
};
