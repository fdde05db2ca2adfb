import { existsSync } from "node:fs";
import { mkdir, readFile, symlink } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import type { ScriptedAnswer } from "@pikit/ai";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { AgentSession } from "../../src/session/agent-session.ts";
import type { PreviewEvent } from "../../src/tools/preview/run.ts";
import { type ApprovalQuestion, absentUser, type UserInterface } from "../../src/user-interface.ts";
import { begin, command, openEvents } from "../helpers/http-client.ts";
import { startTestServer } from "../helpers/serve.ts";
import { createScriptedSession, openSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";
import { fixtureServer } from "../mcp/helpers.ts";
import { missing } from "./ground.ts";

const workspace = useWorkspace();

function call(name: string, args: Record<string, unknown>): ScriptedAnswer {
  return { toolCalls: [{ name, arguments: args }] };
}

function script(...calls: [name: string, args: Record<string, unknown>][]): ScriptedAnswer[] {
  return [...calls.map(([name, args]) => call(name, args)), { text: "Done." }];
}

/** What the model was told of each call. */
function results(session: AgentSession): string[] {
  return session.messages.flatMap((message) =>
    message.role === "toolResult" ? [message.content.map((block) => (block.type === "text" ? block.text : "")).join("")] : [],
  );
}

/** A user who answers all questions alike. */
function answering(decision: "once" | "no"): { user: UserInterface; questions: ApprovalQuestion[] } {
  const questions: ApprovalQuestion[] = [];
  const approve = async (question: ApprovalQuestion) => {
    questions.push(question);
    return { decision };
  };
  return { user: { ...absentUser, confirm: async () => false, approve }, questions };
}

const sandbox = "require";

describe.skipIf(missing !== undefined)(`a session in a sandbox${missing === undefined ? "" : ` (${missing})`}`, () => {
  test("write and edit change what commands may change", async () => {
    await workspace.write("outside/file.txt", "old\n");
    await workspace.write("work/.bashrc", "old\n");
    await symlink("../outside", join(workspace.root, "work/link"));
    await symlink("../outside/new.txt", join(workspace.root, "work/dangling"));
    const refused = [
      ["write", { path: "../outside/w.txt", content: "x" }],
      ["write", { path: "link/w.txt", content: "x" }],
      ["write", { path: "dangling", content: "x" }],
      ["write", { path: join(workspace.root, "work/../outside/w.txt"), content: "x" }],
      ["edit", { path: "link/file.txt", edits: [{ oldText: "old", newText: "new" }] }],
      ["write", { path: ".git/hooks/pre-commit", content: "x" }],
      ["write", { path: "sub/.git/config", content: "x" }],
      ["write", { path: ".pi/settings.json", content: "{}" }],
      ["write", { path: ".vscode/tasks.json", content: "{}" }],
      ["write", { path: ".envrc", content: "x" }],
      ["edit", { path: ".bashrc", edits: [{ oldText: "old", newText: "new" }] }],
      ["write", { path: "/opt/file-of-test", content: "x" }],
    ] as [string, Record<string, unknown>][];
    const allowed = [
      ["write", { path: "new/file.txt", content: "x" }],
      ["write", { path: "/tmp/from-write.txt", content: "from write" }],
      ["bash", { command: "cat /tmp/from-write.txt; echo from bash > /tmp/from-bash.txt" }],
      ["read", { path: "/tmp/from-bash.txt" }],
    ] as [string, Record<string, unknown>][];
    const { session } = await createScriptedSession(workspace, script(...refused, ...allowed), { sandbox, session: "memory" });
    await session.prompt("Go.");
    const texts = results(session);
    for (const text of texts.slice(0, refused.length)) expect(text).toMatch(/^The sandbox does not let you change /);
    expect(texts.slice(refused.length)).toEqual([
      expect.stringContaining("Created new/file.txt"),
      expect.stringContaining("Created /tmp/from-write.txt"),
      "from write",
      "from bash",
    ]);
    expect(existsSync("/tmp/from-write.txt")).toBe(false);
    expect(await readFile(join(workspace.root, "outside/file.txt"), "utf8")).toBe("old\n");
  });

  test("no tool reads the agent's keys, and no preview serves them", async () => {
    await workspace.write("agent/auth.json", { key: "secret-of-the-agent" });
    await workspace.write("work/hidden.txt", "secret-of-the-user");
    await symlink("../agent/auth.json", join(workspace.cwd, "link.json"));
    const path = join(workspace.agentDir, "auth.json");
    const calls = [
      ["read", { path }],
      ["read", { path: "link.json" }],
      ["read", { path: "../agent/../agent/auth.json" }],
      ["grep", { pattern: "secret-of", path }],
      ["grep", { pattern: "secret-of", path: workspace.root }],
      ["grep", { pattern: "secret-of", path: ".", ignoreCase: true }],
      ["ls", { path: workspace.agentDir }],
      ["find", { pattern: "**/auth.json", path: workspace.agentDir }],
      ["bash", { command: `cat ${path} link.json hidden.txt; grep -rs secret-of ${workspace.root} | cut -d: -f2` }],
      ["preview", { path: "." }],
    ] as [string, Record<string, unknown>][];
    const previews: PreviewEvent[] = [];
    const { session } = await createScriptedSession(workspace, script(...calls), {
      ...{ sandbox: { mode: "require", hidden: ["hidden.txt"] }, session: "memory" },
      tools: ["read", "grep", "find", "ls", "bash", "preview"],
      onPreview: (event) => void previews.push(event),
    });
    await session.prompt("Go.");
    expect(results(session)).toHaveLength(calls.length);
    expect(results(session).join("\n")).not.toMatch(/secret-of-the/);
    const ready = previews.find(({ type }) => type === "ready");
    const url = ready?.type === "ready" ? ready.url : "";
    for (const name of ["link.json", "hidden.txt"]) {
      const status = await new Promise((resolve) => get(`${url}/${name}`, (response) => resolve(response.resume().statusCode)));
      expect(status).not.toBe(200);
    }
  });

  test("a local MCP server runs in it, unless its settings say otherwise", async () => {
    const starts = await workspace.write("outside/starts", "");
    const inside = await workspace.write("work/starts", "");
    const mcpServers = {
      contained: fixtureServer("good", { starts }),
      working: fixtureServer("good", { starts: inside }),
      free: fixtureServer("good", { starts, sandbox: false }),
    };
    const problems: string[] = [];
    const calls = script(["mcp__working__environment", { value: "TMPDIR" }], ["mcp__free__echo", { value: "free" }]);
    const { session } = await createScriptedSession(workspace, calls, {
      ...{ sandbox, mcpServers, session: "memory" },
      onProblem: (problem) => void problems.push(problem),
    });
    await session.prompt("Go.");
    expect(problems).toEqual([expect.stringMatching(/The MCP server contained cannot be used: .*EROFS/s)]);
    expect(results(session)).toEqual([expect.stringContaining("/tmp"), "free"]);
    expect((await readFile(starts, "utf8")).split("\n")).toHaveLength(2);
    expect((await readFile(inside, "utf8")).split("\n")).toHaveLength(2);
  });

  test("on-risk does not ask about what the sandbox contains, and asks about lost work", async () => {
    await workspace.write("work/src/a.ts", "");
    const contained = [
      "echo x > ../outside.txt",
      "pkill -f no-such-program-of-the-test",
      "git push --force",
      "sudo -n true",
      "echo x > .git/hooks/a",
    ];
    const asked = ["rm -rf src", "git checkout -- ."];
    const { user, questions } = answering("no");
    const calls = script(...[...contained, ...asked].map((command): [string, Record<string, unknown>] => ["bash", { command }]));
    const { session } = await createScriptedSession(workspace, calls, { sandbox, user, approval: "on-risk", session: "memory" });
    await session.prompt("Go.");
    expect(questions.map(({ call: text }) => text)).toEqual(asked);
    expect(results(session)[0]).toContain("The sandbox has probably refused something: only ");
    expect(results(session)[0]).toContain("call bash again with outsideSandbox");
  });

  test("a command leaves the sandbox after a yes of the user, whatever the policy and the rules say", async () => {
    const args = { command: "echo x > ../outside.txt", outsideSandbox: "The file belongs\nto the user." };
    const allow = ["bash"];
    for (const decision of ["no", "once"] as const) {
      const { user, questions } = answering(decision);
      const calls = script(["bash", args], ["bash", args]);
      const options = { sandbox, user, approvalRules: { allow }, session: "memory" } as const;
      const { session } = await createScriptedSession(workspace, calls, options);
      await session.prompt("Go.");
      const reason = "It runs outside of the sandbox, with all your rights and keys: The file belongs to the user.";
      expect(questions.map(({ reasons }) => reasons.split("\n")[0])).toEqual([reason, reason]);
      expect(questions[0]?.sessionScope).toBeUndefined();
      expect(existsSync(join(workspace.root, "outside.txt"))).toBe(decision === "once");
    }
  });

  test("without a user a command cannot ask to leave", async () => {
    const offered: unknown[] = [];
    const args = { command: "echo x > ../outside.txt", outsideSandbox: "please" };
    const { session } = await createScriptedSession(
      workspace,
      ({ tools = [], messages }) => {
        offered.push(tools.find(({ name }) => name === "bash")?.parameters);
        return messages.length === 1 ? call("bash", args) : { text: "Done." };
      },
      { sandbox, session: "memory" },
    );
    await session.prompt("Go.");
    expect(JSON.stringify(offered)).not.toContain("outsideSandbox");
    expect(results(session)).toEqual([expect.stringContaining("there is no user to ask")]);
    expect(existsSync(join(workspace.root, "outside.txt"))).toBe(false);
  });

  test("a command of the user runs in it, too, and a project cannot switch it off", async () => {
    await mkdir(join(workspace.cwd, ".pi"), { recursive: true });
    await workspace.write("work/.pi/settings.json", { sandbox: { mode: "off", network: true } });
    await workspace.write("agent/settings.json", { sandbox: { mode: "require" } });
    const { session } = await createScriptedSession(workspace, script(), { trustProject: true, session: "memory" });
    const { output } = await session.shell.run("echo x > ../outside.txt; echo end");
    expect(output).toMatch(/Read-only file system\nend\n$/);
  });
});

test("where a sandbox cannot be made, require refuses in one sentence, and workspace says once that commands run without", async () => {
  const options = { cwd: "/", session: "memory" } as const;
  const message = "Commands do not run without the required sandbox: the working folder is /, so it would contain nothing.";
  await expect(openSession(workspace, { ...options, sandbox: "require" })).rejects.toMatchObject({
    code: "sandbox_unavailable",
    message,
  });
  const problems: string[] = [];
  const { session } = await createScriptedSession(workspace, script(), {
    ...{ ...options, sandbox: "workspace" },
    onProblem: (problem) => void problems.push(problem),
  });
  expect(await session.shell.run("echo 1")).toMatchObject({ output: "1\n" });
  expect(await session.shell.run("echo 2")).toMatchObject({ output: "2\n" });
  expect(problems).toEqual(["Commands run without a sandbox: the working folder is /, so it would contain nothing."]);
});

test("a list of domains needs a package and its programs, which are named if they are missing", async () => {
  vi.stubEnv("PATH", workspace.cwd);
  onTestFinished(() => void vi.unstubAllEnvs());
  const settings = { mode: "require", network: ["example.com"] } as const;
  await expect(openSession(workspace, { sandbox: settings, session: "memory" })).rejects.toMatchObject({
    code: "sandbox_unavailable",
    message: expect.stringMatching(/@anthropic-ai\/sandbox-runtime/),
  });
});

test("commands that the host runs elsewhere are not in the sandbox, so require refuses them", async () => {
  const runProcess = () => Promise.reject(new Error("not called"));
  await expect(openSession(workspace, { sandbox: "require", runProcess, session: "memory" })).rejects.toMatchObject({
    code: "sandbox_unavailable",
    message: "The required sandbox cannot be made: the host of this session runs commands itself (runProcess).",
  });
});

test.skipIf(missing !== undefined)("the sandbox of a server is that of its sessions, whatever their options are", async () => {
  await workspace.write("outside/file.txt", "old");
  const server = await startTestServer(workspace, { sandbox });
  const writing = call("bash", { command: "echo new > ../outside/file.txt; echo new > inside.txt" });
  const id = await begin(server, { model: await workspace.script(writing, { text: "Done." }), approval: "never-ask" });
  const events = await openEvents(server, id);
  await command(server, id, { type: "prompt", message: "Go" });
  await events.waitFor({ type: "agent_settled" });
  expect(await readFile(join(workspace.root, "outside/file.txt"), "utf8")).toBe("old");
  expect(await readFile(join(workspace.cwd, "inside.txt"), "utf8")).toBe("new\n");
});
