import { deepEqual, equal, match, ok } from "node:assert/strict";
import { join } from "node:path";
import { Checks, type ClientResult } from "../../lib/report.ts";
import { Agent, call, resultsOf } from "../lib/agent.ts";
import { folderOf, versionOf, type Workspace, withWorkspace } from "../lib/workspace.ts";

interface ExtensionPackage {
  name: string;
  /** The file of a package whose manifest names no extensions. */
  file?: string;
  /** Commands that it must have. */
  commands: readonly string[];
  /** What is used of it, beside loading it. */
  about: string;
  answers?: readonly object[];
  use?(agent: Agent): Promise<void>;
}

const diagram = "```mermaid\ngraph LR\n  Lamp --> Ship\n```";

/** The packages with extensions that are installed most often. */
const packages: readonly ExtensionPackage[] = [
  { name: "@agentuity/pi", file: "dist/index.js", commands: ["organization"], about: "commands; its models need an account" },
  {
    name: "@baochunli/pi-collaborating-agents",
    commands: ["subagent"],
    about: "the tool `agent_message`",
    answers: [call("agent_message", { action: "status" }), { text: "Done." }],
    async use(agent) {
      match(resultsOf("agent_message", await agent.prompt("Status")), /Active peers: 0/);
    },
  },
  {
    name: "pi-aliases",
    commands: ["clear", "exit"],
    about: "`/clear` and `/exit`",
    answers: [{ text: "Hello." }],
    async use(agent) {
      await agent.prompt("Hi");
      await agent.prompt("/clear");
      equal((await agent.ask({ type: "get_state" })).messageCount, 0);
      agent.lines.send({ type: "prompt", message: "/exit" });
      equal(await agent.lines.ended, 0);
    },
  },
  { name: "pi-markdown-preview", commands: ["preview"], about: "commands; its pages need a browser" },
  {
    name: "pi-mcp-adapter",
    commands: ["mcp"],
    about: "the tool `mcp`",
    answers: [call("mcp", {}), { text: "Done." }],
    async use(agent) {
      match(resultsOf("mcp", await agent.prompt("Status")), /0 servers/);
    },
  },
  {
    name: "pi-mermaid",
    commands: ["pi-mermaid"],
    about: "a diagram of an answer",
    answers: [{ text: diagram }],
    async use(agent) {
      await agent.prompt("Draw");
      await agent.prompt("/pi-mermaid");
      ok(JSON.stringify(agent.lines.records.filter(({ type }) => type === "message_end")).includes("Lamp"));
    },
  },
  { name: "pi-prompt-template-model", commands: ["chain-prompts"], about: "commands" },
  {
    name: "pi-subagents",
    commands: [],
    about: "the tool `subagent`",
    answers: [call("subagent", { action: "list" }), { text: "Done." }],
    async use(agent) {
      match(resultsOf("subagent", await agent.prompt("Which?")), /scout|reviewer/);
    },
  },
  {
    name: "pi-web-access",
    commands: ["websearch"],
    about: "the tool `fetch_content`",
    answers: [call("fetch_content", { url: "http://127.0.0.1:9/" }), { text: "Done." }],
    async use(agent) {
      match(resultsOf("fetch_content", await agent.prompt("Look")), /127\.0\.0\.1/);
    },
  },
];

/** Loads each package with extensions, and uses what it adds. */
export const extensionPackages = packages.map((each) => () => checkPackage(each));

/**
 * Starts `pi` with a package. The first start compiles its TypeScript, for which a busy machine may need longer than an extension may take to load;
 * the next one goes on with what is compiled.
 */
async function startCompiled(workspace: Workspace, path: string, answers: readonly object[] | undefined): Promise<Agent> {
  const agent = await Agent.start(workspace, [path], answers);
  await agent.commandNames();
  if (!agent.problems.some((problem) => problem.includes("did not finish"))) return agent;
  await agent.end();
  return Agent.start(workspace, [path], answers);
}

async function checkPackage({ name, file, commands, about, answers, use }: ExtensionPackage): Promise<ClientResult> {
  const checks = new Checks(name, await versionOf(name), about);
  await withWorkspace(async (workspace) => {
    const agent = await startCompiled(workspace, join(folderOf(name), file ?? ""), answers);
    await checks.check("it loads", async () => {
      const names = await agent.commandNames();
      deepEqual(agent.problems, []);
      for (const command of commands) ok(names.includes(command), `no command ${command} among ${names.join(", ")}`);
    });
    if (use) {
      await checks.check("it works", async () => {
        await use(agent);
        deepEqual(agent.problems, []);
      });
    }
    await agent.end();
  });
  return checks.result;
}
