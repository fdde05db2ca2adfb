import { type Context, createScriptedModel, type ScriptedAnswer } from "@pikit/ai";
import { describe, expect, test } from "vitest";
import type { ExtensionFactory } from "../../src/extensions/api.ts";
import type { AgentSessionEvent } from "../../src/session/events.ts";
import type { CreateAgentSessionOptions } from "../../src/session/options.ts";
import { bashThenDone, openSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

/** A session with extensions of this process, and what its model was asked. */
async function openWith(
  extensions: ExtensionFactory[],
  answers: readonly ScriptedAnswer[] = [{ text: "Done." }],
  options: CreateAgentSessionOptions = {},
) {
  const asked: Context[] = [];
  const model = createScriptedModel({
    script(context) {
      asked.push(structuredClone({ ...context, tools: [] }));
      return answers[asked.length - 1] ?? { text: "Done." };
    },
  });
  return { ...(await openSession(workspace, { model, extensions, session: "memory", ...options })), asked };
}

const outputOf = (events: readonly AgentSessionEvent[]): string => {
  const end = events.find((event) => event.type === "tool_execution_end");
  const [block] = end?.type === "tool_execution_end" ? end.result.content : [];
  return block?.type === "text" ? block.text.trim() : "";
};

describe("events under the names of the family", () => {
  test("a change of the arguments of a call in place applies to the call, and the next handler sees it", async () => {
    const seen: unknown[] = [];
    const { session, events } = await openWith(
      [
        (pi) =>
          void pi.on("tool_call", ({ input }) => {
            input.command = `${input.command} one`;
          }),
        (pi) =>
          void pi.on("tool_call", (event) => {
            seen.push(event.args);
            event.input = { command: `${event.input.command} two` };
          }),
      ],
      bashThenDone("echo"),
    );
    await session.prompt("Go");
    expect(seen).toEqual([{ command: "echo one" }]);
    expect(outputOf(events)).toBe("one two");
  });

  test("before_agent_start adds a message after the prompt and changes the system prompt", async () => {
    const prompts: string[] = [];
    const { session, asked } = await openWith([
      (pi) =>
        void pi.on("before_agent_start", ({ prompt, systemPrompt, systemPromptOptions }) => {
          prompts.push(prompt, systemPromptOptions.selectedTools.join(" "));
          return {
            systemPrompt: `${systemPrompt}\nBe kind.`,
            message: { customType: "context", content: "It rains.", display: false },
          };
        }),
    ]);
    await session.prompt("Go");
    expect(prompts).toEqual(["Go", "read bash edit write"]);
    expect(asked[0]?.systemPrompt).toMatch(/\nBe kind\.$/);
    expect(asked[0]?.messages.map(({ content }) => content)).toEqual(["Go", "It rains."]);
    expect(session.messages[1]).toMatchObject({ role: "custom", customType: "context", display: false });
  });

  test("input changes a prompt before templates are expanded, or handles it", async () => {
    const sources: unknown[] = [];
    const { session, asked, events } = await openWith([
      (pi) => {
        pi.on("input", ({ text, source }) => {
          sources.push(source);
          if (text === "ping") return { action: "handled" };
          return { action: "transform", text: `${text}!` };
        });
        pi.on("input", ({ text }) => ({ action: "transform", text: `${text}?` }));
      },
    ]);
    await session.prompt("ping");
    expect(asked).toEqual([]);
    expect(events.map(({ type }) => type)).toEqual(["agent_start", "agent_end", "agent_settled"]);
    await session.prompt("Go");
    expect(asked[0]?.messages.map(({ content }) => content)).toEqual(["Go!?"]);
    expect(sources).toEqual(["interactive", "interactive"]);
  });

  test("moves have one event for switching and one for forking, and either can refuse", async () => {
    const told: unknown[] = [];
    const { session } = await openWith([
      (pi) => {
        pi.on("session_before_switch", (event) => void told.push(event));
        pi.on("session_before_fork", (event) => {
          told.push(event);
          return { cancel: true };
        });
      },
    ]);
    await session.prompt("Go");
    const entryId = (await session.history.branchPoints())[0]?.entryId ?? "";
    await expect(session.history.fork(entryId)).rejects.toMatchObject({ code: "cancelled" });
    await session.history.startNew();
    expect(told).toEqual([
      { type: "session_before_fork", entryId, position: "before" },
      { type: "session_before_switch", reason: "new" },
    ]);
  });

  test("a new session gets a new copy of each extension; the former one ends before the session is left", async () => {
    const told: unknown[] = [];
    let copies = 0;
    const { session } = await openWith([
      (pi) => {
        copies += 1;
        const copy = copies;
        pi.on("session_start", ({ reason }, { sessionId }) => void told.push([copy, reason, sessionId]));
        pi.on("session_shutdown", ({ reason }, { sessionId }) => void told.push([copy, reason, sessionId]));
        pi.on("session_tree", (event) => void told.push([copy, event]));
        pi.registerCommand("next", {
          async handler(_args, { newSession }) {
            const result = await newSession({
              setup: (fresh) => void fresh.appendCustomEntry("note", { from: copy }),
              withSession: async ({ sessionManager, sendUserMessage }) => {
                told.push(sessionManager.getEntries().map(({ type }) => type));
                await sendUserMessage("Go on");
              },
            });
            told.push(result);
          },
        });
      },
    ]);
    const first = session.sessionId;
    await session.prompt("/next");
    await session.waitForIdle();
    const second = session.sessionId;
    const entryId = (await session.history.branchPoints())[0]?.entryId ?? "";
    const before = session.history.leafId;
    await session.history.goTo(entryId);
    expect(told).toEqual([
      [1, "startup", first],
      [1, "new", first],
      [2, "new", second],
      ["custom"],
      { cancelled: false },
      [2, { type: "session_tree", newLeafId: entryId, oldLeafId: before }],
    ]);
    expect(session.messages[0]).toMatchObject({ role: "user", content: "Go on" });
  });

  test("a handler of an unknown event is reported with the nearest name, and the extension works", async () => {
    const problems: string[] = [];
    const { session, asked, events } = await openWith(
      [
        (pi) => {
          (pi.on as (name: string, handler: () => void) => void)("tool_cal", () => {});
          pi.on("input", ({ text }) => ({ action: "transform", text: `${text}!` }));
        },
      ],
      [],
      { onProblem: (problem) => problems.push(problem) },
    );
    const warning = 'There is no event "tool_cal", so its handler is never called. Did you mean "tool_call"?';
    expect(problems).toEqual([`The extension <inline>: ${warning}`]);
    await session.prompt("Go");
    expect(asked[0]?.messages.at(-1)?.content).toBe("Go!");
    expect(events).toContainEqual({ type: "extension_error", extensionPath: "<inline>", event: "load", error: warning });
  });
});

test("an extension names the session, labels entries and reads them without waiting", async () => {
  const read: unknown[] = [];
  const { session } = await openWith([
    (pi) =>
      pi.registerCommand("mark", {
        handler(label, { sessionManager }) {
          const entry = sessionManager.getEntries().findLast(({ type }) => type === "message");
          void pi.appendEntry("marks", { label });
          void pi.setLabel(entry?.id ?? "", label);
          void pi.setSessionName("Marked");
          const data = sessionManager.getBranch().flatMap((each) => (each.type === "custom" ? [each.data] : []));
          read.push(pi.getSessionName(), sessionManager.getLabel(entry?.id ?? ""), data, sessionManager.getLeafEntry()?.type);
        },
      }),
  ]);
  await session.prompt("Go");
  await session.prompt("/mark here");
  expect(read).toEqual(["Marked", "here", [{ label: "here" }], "session_info"]);
});

test("setActiveTools changes what the model gets from its next call on", async () => {
  const tools: (string[] | undefined)[] = [];
  const model = createScriptedModel({
    script(context) {
      tools.push(context.tools?.map(({ name }) => name));
      return { text: "Done." };
    },
  });
  const seen: string[][] = [];
  const { session } = await openSession(workspace, {
    model,
    session: "memory",
    extensions: [
      (pi) =>
        pi.registerCommand("look", {
          handler() {
            pi.setActiveTools(["grep", "read", "nonsense"]);
            seen.push(
              pi.getActiveTools(),
              pi.getAllTools().map(({ name, sourceInfo }) => `${name} ${sourceInfo.source}`),
            );
          },
        }),
    ],
  });
  await session.prompt("Go");
  await session.prompt("/look");
  await session.prompt("Go");
  const usual = ["read", "bash", "edit", "write"];
  expect(tools).toEqual([usual, ["read", "grep"]]);
  expect(seen).toEqual([["read", "grep"], [...usual, "grep", "find", "ls"].map((name) => `${name} builtin`)]);
});
