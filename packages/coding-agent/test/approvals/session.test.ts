import { access, readFile } from "node:fs/promises";
import { get } from "node:http";
import { join } from "node:path";
import type { ScriptedAnswer } from "@pikit/ai";
import { expect, test } from "vitest";
import type { AgentSession } from "../../src/session/agent-session.ts";
import type { PreviewEvent } from "../../src/tools/preview/run.ts";
import { absentUser, type Confirmation, type UserInterface } from "../../src/user-interface.ts";
import { createScriptedSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

function call(name: string, args: Record<string, unknown>): ScriptedAnswer {
  return { toolCalls: [{ name, arguments: args }] };
}

function answering(isYes: boolean): { user: UserInterface; questions: Confirmation[] } {
  const questions: Confirmation[] = [];
  const confirm = async (question: Confirmation) => {
    questions.push(question);
    return isYes;
  };
  return { user: { ...absentUser, confirm }, questions };
}

/** What the model was told of each call. */
function results(session: AgentSession): string[] {
  return session.messages.flatMap((message) =>
    message.role === "toolResult" ? [message.content.map((block) => (block.type === "text" ? block.text : "")).join("")] : [],
  );
}

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

test("a session asks before a risky call and runs it after a yes; the refused one does not run", async () => {
  for (const isYes of [true, false]) {
    await workspace.write("work/data/a.csv", "x");
    const { user, questions } = answering(isYes);
    const script = [call("bash", { command: "sh -c 'rm -rf data'" }), { text: "Done." }];
    const { session } = await createScriptedSession(workspace, script, { approval: "on-risk", user, session: "memory" });
    await session.prompt("Clean up.");
    expect(questions.map(({ riskTier }) => riskTier)).toEqual(["confirm_required"]);
    expect(await exists(join(workspace.cwd, "data"))).toBe(!isYes);
    expect(results(session)).toEqual([isYes ? "(no output)" : expect.stringContaining("the user was asked and declined")]);
    expect(session.lastAssistantText()).toBe("Done.");
  }
});

test("a read-only session tells the model so, and lets it look", async () => {
  await workspace.write("work/a.txt", "text");
  const script = [call("write", { path: "b.txt", content: "x" }), call("read", { path: "a.txt" }), { text: "Done." }];
  const { session } = await createScriptedSession(workspace, script, { readOnly: true, session: "memory" });
  await session.prompt("Go.");
  expect(results(session)).toEqual([expect.stringContaining("this session is read-only"), "text"]);
  expect(await exists(join(workspace.cwd, "b.txt"))).toBe(false);
});

test("without a policy everything runs, as in the sources", async () => {
  await workspace.write("work/data/a.csv", "x");
  const script = [call("bash", { command: "rm -rf data" }), { text: "Done." }];
  const { session } = await createScriptedSession(workspace, script, { session: "memory" });
  await session.prompt("Go.");
  expect(results(session)).toEqual(["(no output)"]);
});

test("a preview lives until its session ends", async () => {
  await workspace.write("work/site/index.html", "<p>home");
  const events: PreviewEvent[] = [];
  const script = [call("preview", { path: "site" }), { text: "Look." }];
  const { session } = await createScriptedSession(workspace, script, {
    session: "memory",
    tools: ["preview"],
    onPreview: (event) => events.push(event),
  });
  await session.prompt("Show me.");
  const ready = events.find((event) => event.type === "ready");
  const fetchPage = () =>
    new Promise<string>((resolve) => {
      get(ready?.url ?? "", { agent: false }, (response) => {
        response.setEncoding("utf8");
        response.on("data", resolve);
      }).on("error", ({ code }: NodeJS.ErrnoException) => resolve(String(code)));
    });
  expect(await fetchPage()).toBe("<p>home");
  await session.dispose();
  expect(await fetchPage()).toBe("ECONNREFUSED");
  expect(events.map(({ type }) => type)).toEqual(["started", "ready", "stopped"]);
});

test("a session in memory is exported to its working folder", async () => {
  const { session } = await createScriptedSession(workspace, [{ text: "# Hello" }], { session: "memory" });
  await session.prompt("Hi <b>there</b>");
  const path = await session.history.exportHtml();
  expect(path).toBe(join(workspace.cwd, `pi-session-${session.sessionId}.html`));
  const page = await readFile(path, "utf8");
  expect(page).toContain("<pre>Hi &lt;b&gt;there&lt;/b&gt;</pre>");
  expect(page).toContain("<h1>Hello</h1>");
});
