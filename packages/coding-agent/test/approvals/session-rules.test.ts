import type { AgentTool } from "@pikit/agent";
import type { ScriptedAnswer } from "@pikit/ai";
import { describe, expect, test } from "vitest";
import { assessTool } from "../../src/approvals/assess-tool.ts";
import { describeDiff } from "../../src/approvals/describe-diff.ts";
import { suggestRule } from "../../src/approvals/suggest-rule.ts";
import type { RiskTier } from "../../src/risk-tiers.ts";
import type { AgentSession } from "../../src/session/agent-session.ts";
import type { FileAccess } from "../../src/tools/files/file-access.ts";
import { localFiles } from "../../src/tools/files/local-files.ts";
import { type ApprovalAnswer, type ApprovalQuestion, absentUser, type UserInterface } from "../../src/user-interface.ts";
import { createScriptedSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

function bash(...commands: string[]): ScriptedAnswer {
  return { toolCalls: commands.map((command) => ({ name: "bash", arguments: { command } })) };
}

/** A user who answers each question with the next answer, and no when there is none left. */
function answering(...answers: ApprovalAnswer[]): { user: UserInterface; asked: ApprovalQuestion[] } {
  const asked: ApprovalQuestion[] = [];
  const user: UserInterface = {
    ...absentUser,
    confirm: async () => false,
    approve: async (question) => {
      asked.push(question);
      return answers.shift() ?? { decision: "no" };
    },
  };
  return { user, asked };
}

function results(session: AgentSession): string[] {
  return session.messages.flatMap((message) =>
    message.role === "toolResult"
      ? [
          message.content
            .map((block) => (block.type === "text" ? block.text : ""))
            .join("")
            .trim(),
        ]
      : [],
  );
}

const session = { decision: "session" } as const;
const done = { text: "Done." };

describe("an answer for the session", () => {
  test("allows the same calls until the session ends, also those that were asked at the same time", async () => {
    const { user, asked } = answering(session);
    const script = [bash("echo one", "echo one"), bash("echo one"), done, bash("echo one"), done];
    const scripted = await createScriptedSession(workspace, script, { approval: "always", user });
    await scripted.session.prompt("Go.");
    expect(asked.map(({ call }) => call)).toEqual(["echo one"]);
    expect(results(scripted.session)).toEqual(["one", "one", "one"]);
    await scripted.session.history.startNew();
    await scripted.session.prompt("Again.");
    expect(asked.map(({ call }) => call)).toEqual(["echo one", "echo one"]);
    expect(results(scripted.session)).toEqual([expect.stringContaining("the user was asked and declined")]);
  });

  test("does not allow other commands, other risks and other tools", async () => {
    const { user, asked } = answering(session);
    const write = { toolCalls: [{ name: "write", arguments: { path: "a.txt", content: "x" } }] };
    const script = [bash("git status -s"), bash("git status"), bash("git push"), bash("git status; ls"), write, done];
    const scripted = await createScriptedSession(workspace, script, { approval: "always", user });
    await scripted.session.prompt("Go.");
    expect(asked.map(({ call }) => call)).toEqual(["git status -s", "git push", "git status; ls", " a.txt\n+x"]);
    expect(asked[0]?.sessionScope).toBe("bash(git status:*)");
  });
});

test("a refusal for the session refuses the same calls until the session ends, and nobody is asked again", async () => {
  const { user, asked } = answering({ decision: "never" });
  const script = [bash("echo one", "echo one"), bash("echo one"), bash("echo two"), done];
  const { session: refused } = await createScriptedSession(workspace, script, { approval: "always", user });
  await refused.prompt("Go.");
  expect(asked.map(({ call }) => call)).toEqual(["echo one", "echo two"]);
  expect(results(refused)).toEqual(Array.from({ length: 4 }, () => expect.stringContaining("the user was asked and declined")));
});

test("policy and read-only can change while a session is open", async () => {
  const { user, asked } = answering(session);
  const script = [bash("echo one"), done, bash("echo two"), done, bash("echo three"), done];
  const { session: changed } = await createScriptedSession(workspace, script, { approval: "never-ask", user });
  await changed.prompt("Go.");
  changed.approvals.policy = "always";
  await changed.prompt("Go.");
  changed.approvals.readOnly = true;
  await changed.prompt("Go.");
  expect(asked.map(({ call }) => call)).toEqual(["echo two"]);
  expect(results(changed)).toEqual(["one", "two", expect.stringContaining("read-only")]);
});

test("a no with a reason goes to the model with its reason", async () => {
  const { user } = answering({ decision: "no", reason: "Use git clean instead." });
  const { session: asked } = await createScriptedSession(workspace, [bash("rm -rf data"), done], { approval: "on-risk", user });
  await asked.prompt("Go.");
  expect(results(asked)).toEqual(["Not run: the user was asked and declined, with this reason: Use git clean instead."]);
});

test("a user interface that knows only yes and no is asked with the short message, and its answers stay", async () => {
  const questions: object[] = [];
  const user: UserInterface = {
    ...absentUser,
    confirm: async (question) => {
      questions.push(question);
      return true;
    },
  };
  const { session: asked } = await createScriptedSession(workspace, [bash("rm -rf data", "rm -rf data"), done], {
    approval: "on-risk",
    user,
  });
  await asked.prompt("Go.");
  const question = { title: "Allow bash?", message: expect.stringContaining("rm -rf data"), riskTier: "confirm_required" };
  expect(questions).toEqual([question, question]);
});

describe("the suggested rule", () => {
  const files: FileAccess = { ...localFiles, homeFolder: "/home/user", realpath: async (path) => path };
  const cwd = "/home/user/project";

  async function suggest(name: string, params: unknown, { isBuiltIn = true, tier }: { isBuiltIn?: boolean; tier?: RiskTier } = {}) {
    const tool = { name } as AgentTool;
    const tiers = { isBuiltIn: () => isBuiltIn, ...(tier ? { toolTiers: { [name]: tier } } : {}) };
    const assessment = await assessTool(tool, params, { cwd, files }, tiers);
    return suggestRule({ name, params, isBuiltIn, mcpName: undefined, folder: cwd, assessment });
  }

  test.each([
    ["git status", "bash(git status:*)"],
    ["git status --short src/a.ts", "bash(git status:*)"],
    ["npm run build -- --watch", "bash(npm run build:*)"],
    ["cargo test parser", "bash(cargo test:*)"],
    ["yarn exec", "bash(yarn exec)"],
    ["git -C elsewhere status", "bash(git -C elsewhere status)"],
    ["git status | sort", "bash(git status | sort)"],
    ["git status $(reboot)", "bash(git status $(reboot))"],
    ["git status\nls", "bash(git status\nls)"],
    ["A=1 git status", "bash(A=1 git status)"],
    ["node server.js", "bash(node server.js)"],
    ["docker run image", "bash(docker run image)"],
    ["git push --force", "bash(git push --force)"],
    ["echo a:*", undefined],
    ["x".repeat(10_001), undefined],
  ])("for %j: %s", async (command, rule) => {
    expect(await suggest("bash", { command })).toBe(rule);
  });

  test("edits are allowed in the working folder, outside of it file by file; other tools by their name", async () => {
    expect(await suggest("edit", { path: "a" })).toBe("edit(**)");
    expect(await suggest("write", { path: "b" })).toBe("write(**)");
    expect(await suggest("edit", { path: "/etc/[a]" })).toBe("edit(/etc/\\[a\\])");
    expect(await suggest("deploy", { to: "a" }, { isBuiltIn: false })).toBe("deploy");
    expect(await suggest("bash", { command: "ls" }, { isBuiltIn: false })).toBe("bash");
    expect(await suggest("deploy", { to: "a" }, { isBuiltIn: false, tier: "confirm_required" })).toBe('deploy({"to":"a"})');
  });
});

test.each([
  ["write", { path: "a.txt", content: "one\ntwo\n" }, " a.txt\n+one\n+two"],
  ["write", { path: "a.txt", content: "" }, " a.txt"],
  ["edit", { path: "a.txt", oldText: "a\nb\nc", newText: "a\nB\nc" }, " a.txt\n a\n-b\n+B\n c"],
  [
    "edit",
    {
      path: "a.txt",
      edits: [
        { oldText: "a", newText: "" },
        { oldText: "x", newText: "x\ny" },
      ],
    },
    " a.txt\n-a\n …\n x\n+y",
  ],
  ["edit", { path: "a.txt", edits: { oldText: "a", newText: "b" } }, " a.txt\n-a\n+b"],
  ["edit", { path: "a.txt" }, undefined],
  ["deploy", { path: "a.txt", content: "x" }, undefined],
])("the change of %s %j", (tool, params, diff) => {
  expect(describeDiff(tool, params)).toBe(diff);
});
