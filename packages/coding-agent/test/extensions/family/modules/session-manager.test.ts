import type { AgentMessage } from "@pikit/agent";
import { expect, test } from "vitest";
import { SessionManager } from "../../../../src/extensions/family/modules/session-manager.ts";
import { useWorkspace } from "../../../helpers/workspace.ts";

const workspace = useWorkspace();
const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 };
const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 };
const question = { role: "user", content: "Why?", timestamp: 1 } as const;
const answer: AgentMessage = {
  ...{ role: "assistant" as const, content: [{ type: "text" as const, text: "So." }], api: "a", provider: "p", model: "m" },
  ...{ usage: { ...usage, cost }, stopReason: "stop" as const, timestamp: 2 },
};

test("a session is written, read and continued by its file", async () => {
  const session = SessionManager.create(workspace.cwd, `${workspace.root}/sessions`);
  const first = session.appendMessage(question);
  session.appendMessage(answer);
  session.appendLabelChange(first, "start");
  session.appendSessionInfo("A talk");
  await session.stored;

  const opened = SessionManager.open(session.getSessionFile() ?? "");
  expect(opened.getBranch().map(({ type }) => type)).toEqual(["message", "message", "label", "session_info"]);
  expect([opened.getSessionName(), opened.getLabel(first), opened.getCwd()]).toEqual(["A talk", "start", workspace.cwd]);
  opened.branch(first);
  opened.appendCustomEntry("note", { n: 1 });
  await opened.stored;

  const again = SessionManager.open(session.getSessionFile() ?? "");
  expect(again.getBranch().map(({ type }) => type)).toEqual(["message", "custom"]);
  expect(again.buildSessionContext().messages).toMatchObject([question]);
  const listed = await SessionManager.list(workspace.cwd, `${workspace.root}/sessions`);
  expect(listed).toMatchObject([{ id: session.getSessionId(), name: "A talk", firstMessage: "Why?", cwd: workspace.cwd }]);
});

test("a session in memory has a tree, and begins anew", () => {
  const session = SessionManager.inMemory("/somewhere");
  const first = session.appendMessage(question);
  session.resetLeaf();
  session.branchWithSummary(first, "It was left.");
  expect(session.getTree()).toMatchObject([
    { entry: { id: first }, children: [{ entry: { type: "branch_summary", fromId: "root" } }] },
  ]);
  expect([session.isPersisted(), session.getSessionFile()]).toEqual([false, undefined]);
  session.newSession();
  expect(session.getEntries()).toEqual([]);
});
