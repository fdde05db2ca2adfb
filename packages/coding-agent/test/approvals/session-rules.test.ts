import type { AgentTool } from "@pikit/agent";
import type { ScriptedAnswer } from "@pikit/ai";
import { describe, expect, test } from "vitest";
import { describeDiff } from "../../src/approvals/describe-diff.ts";
import { sessionRuleOf } from "../../src/approvals/session-rules.ts";
import type { AgentSession } from "../../src/session/agent-session.ts";
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
    expect(asked[0]?.sessionScope).toBe("git status …");
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
  const { session: asked } = await createScriptedSession(workspace, [bash("rm -rf build"), done], { approval: "on-risk", user });
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
  const { session: asked } = await createScriptedSession(workspace, [bash("rm -rf build", "rm -rf build"), done], {
    approval: "on-risk",
    user,
  });
  await asked.prompt("Go.");
  const question = { title: "Allow bash?", message: expect.stringContaining("rm -rf build"), riskTier: "confirm_required" };
  expect(questions).toEqual([question, question]);
});

describe("the calls of a rule", () => {
  const safe = { tier: "execute", reasons: [] } as const;
  const risky = { tier: "confirm_required", reasons: ["deletes recursively or by force: rm -rf a"] } as const;
  const call = (name: string, params: unknown) => ({ tool: { name } as AgentTool, params });

  test.each([
    ["git status", "git status …"],
    ["git status --short src/a.ts", "git status …"],
    ["npm run build -- --watch", "npm run build …"],
    ["cargo test parser", "cargo test …"],
    ["yarn exec", "exactly this command"],
    ["git -C elsewhere status", "exactly this command"],
    ["git status | sh", "exactly this command"],
    ["git status $(reboot)", "exactly this command"],
    ["git status\nreboot", "exactly this command"],
    ["A=1 git status", "exactly this command"],
    ["node server.js", "exactly this command"],
    ["docker run image", "exactly this command"],
  ])("%j: %s", (command, scope) => {
    expect(sessionRuleOf(call("bash", { command }), safe, true)?.scope).toBe(scope);
  });

  test("a risky command is allowed only exactly as it was", () => {
    const keys = ["git push --force", "git push --force origin"].map(
      (command) => sessionRuleOf(call("bash", { command }), risky, true)?.key,
    );
    expect(new Set(keys).size).toBe(2);
  });

  test("edits are allowed in the working folder, outside of it file by file; other tools by their name", () => {
    const rule = (name: string, params: object, verdict: Parameters<typeof sessionRuleOf>[1], isBuiltIn = true) =>
      sessionRuleOf(call(name, params), verdict, isBuiltIn);
    const inside = { tier: "write", reasons: [] } as const;
    const outside = (path: string) =>
      ({ tier: "confirm_required", reasons: [`writes outside the working folder: ${path}`] }) as const;
    expect(rule("edit", { path: "a" }, inside)).toEqual(rule("edit", { path: "b" }, inside));
    expect(rule("edit", { path: "a" }, inside)).not.toEqual(rule("write", { path: "a" }, inside));
    expect(rule("edit", { path: "/a", oldText: "1" }, outside("/a"))).toEqual(
      rule("edit", { path: "/a", oldText: "2" }, outside("/a")),
    );
    expect(rule("edit", { path: "/a" }, outside("/a"))).not.toEqual(rule("edit", { path: "/b" }, outside("/b")));
    expect(rule("deploy", { to: "a" }, safe, false)).toEqual(rule("deploy", { to: "b" }, safe, false));
    expect(rule("bash", { command: "ls" }, safe, false)?.scope).toBe("every call of bash");
    const sensitive = { tier: "confirm_required", reasons: ["calls a tool that always needs approval: deploy"] } as const;
    expect(rule("deploy", { to: "a" }, sensitive, false)).not.toEqual(rule("deploy", { to: "b" }, sensitive, false));
  });

  test("a call that is too long is not remembered", () => {
    expect(sessionRuleOf(call("bash", { command: "x".repeat(10_001) }), safe, true)).toBeUndefined();
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
