import { type Context, createScriptedModel, type ScriptedAnswer } from "@pikit/ai";
import { until } from "@pikit/test-kit";
import { holdClock } from "@pikit/test-kit/clock";
import { describe, expect, test } from "vitest";
import type { ExtensionFactory } from "../../src/extensions/api.ts";
import type { AgentSessionEvent } from "../../src/session/events.ts";
import type { CreateAgentSessionOptions } from "../../src/session/options.ts";
import { absentUser, type UserInterface } from "../../src/user-interface.ts";
import { createGate, throughGate } from "../helpers/gate.ts";
import { bashThenDone, openSession, outline } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

/** A session with extensions of this process, and what its model was asked. */
async function openWith(
  extensions: ExtensionFactory[],
  answers: readonly ScriptedAnswer[] = [{ text: "Done." }],
  options: CreateAgentSessionOptions = {},
) {
  const asked: Context[] = [];
  let index = 0;
  const model = createScriptedModel({
    script(context) {
      asked.push(structuredClone({ ...context, tools: [] }));
      index += 1;
      return answers[index - 1] ?? { text: "Done." };
    },
  });
  return { ...(await openSession(workspace, { model, extensions, session: "memory", ...options })), asked };
}

const textOf = (event: AgentSessionEvent | undefined): string =>
  event?.type === "tool_execution_end"
    ? event.result.content.map((block) => (block.type === "text" ? block.text : "")).join("")
    : "";
const resultOf = (events: readonly AgentSessionEvent[]): string => textOf(events.find(({ type }) => type === "tool_execution_end"));
const errorsIn = (events: readonly AgentSessionEvent[]): string[] =>
  events.flatMap((event) => (event.type === "extension_error" ? [`${event.event}: ${event.error}`] : []));

describe("tool_call", () => {
  test("blocks a call: the model reads the reason, and nothing has run", async () => {
    const { session, events } = await openWith(
      [
        (pi) =>
          void pi.on("tool_call", ({ toolName }) => (toolName === "bash" ? { block: true, reason: "No shell today." } : undefined)),
      ],
      bashThenDone("touch made"),
    );
    await session.prompt("Go");
    expect(resultOf(events)).toBe("No shell today.");
    expect(outline(events).slice(-4)).toEqual(["message_end assistant", "turn_end", "agent_end", "agent_settled"]);
    expect(session.lastAssistantText()).toBe("Done.");
  });

  test("changes the arguments, one handler after another, and approvals decide on what is going to run", async () => {
    const seen: unknown[] = [];
    const questions: string[] = [];
    const user: UserInterface = {
      ...absentUser,
      async confirm({ message }) {
        questions.push(message);
        return false;
      },
    };
    const { session, events } = await openWith(
      [
        (pi) => void pi.on("tool_call", ({ args }) => ({ args: { ...args, command: `${args.command} && sudo rm -rf build` } })),
        (pi) => void pi.on("tool_call", ({ args }) => void seen.push(args)),
      ],
      bashThenDone("echo hi"),
      { approval: "on-risk", user },
    );
    await session.prompt("Go");
    expect(seen).toEqual([{ command: "echo hi && sudo rm -rf build" }]);
    expect(questions).toEqual([expect.stringContaining("echo hi && sudo rm -rf build")]);
    expect(resultOf(events)).toContain("declined");
  });

  test("a refusal comes before the user is asked, who is not bothered with a call that will not run", async () => {
    const questions: string[] = [];
    const user: UserInterface = {
      ...absentUser,
      async confirm({ message }) {
        questions.push(message);
        return true;
      },
    };
    const { session, events } = await openWith(
      [(pi) => void pi.on("tool_call", () => ({ block: true, reason: "No shell today." }))],
      bashThenDone("sudo rm -rf build"),
      { approval: "always", user },
    );
    await session.prompt("Go");
    expect(questions).toEqual([]);
    expect(resultOf(events)).toBe("No shell today.");
  });

  test("arguments that the tool would not take are an error result, and the tool has not run", async () => {
    const { session, events } = await openWith(
      [(pi) => void pi.on("tool_call", () => ({ args: { cmd: "touch made" } }))],
      bashThenDone("echo hi"),
    );
    await session.prompt("Go");
    expect(resultOf(events)).toContain("Invalid arguments for bash. /command");
  });

  test("a handler that fails refuses the call, since it may be there to keep watch", async () => {
    const { session, events } = await openWith(
      [
        (pi) =>
          void pi.on("tool_call", () => {
            throw new Error("watchman asleep");
          }),
      ],
      bashThenDone("echo hi"),
    );
    await session.prompt("Go");
    expect(resultOf(events)).toBe("Not run: the extension <inline> checks calls and failed: watchman asleep");
    expect(errorsIn(events)).toEqual(["tool_call: watchman asleep"]);
    expect(session.lastAssistantText()).toBe("Done.");
  });

  test("decides about the calls of a sub-task too", async () => {
    const { session, events } = await openWith(
      [(pi) => void pi.on("tool_call", ({ toolName }) => (toolName === "bash" ? { block: true, reason: "No shell." } : undefined))],
      [
        { toolCalls: [{ name: "delegate", arguments: { task: "Look" } }] },
        { toolCalls: [{ name: "bash", arguments: { command: "ls" } }] },
        { text: "The task says: no shell." },
        { text: "Done." },
      ],
      { tools: ["bash", "delegate"] },
    );
    await session.prompt("Go");
    expect(resultOf(events)).toContain("The task says: no shell.");
    expect(errorsIn(events)).toEqual([]);
  });
});

test("tool_result changes what the model sees of a call", async () => {
  const { session, events, asked } = await openWith(
    [
      (pi) =>
        void pi.on("tool_result", ({ content }) => {
          const [first] = content;
          return {
            content: [{ type: "text", text: `${first?.type === "text" ? first.text.trim() : ""}, hidden` }],
            details: { seen: true },
          };
        }),
      (pi) => void pi.on("tool_result", () => ({ isError: true })),
    ],
    bashThenDone("echo token"),
  );
  await session.prompt("Go");
  expect(events.find(({ type }) => type === "tool_execution_end")).toMatchObject({
    result: { content: [{ type: "text", text: "token, hidden" }], details: { seen: true } },
    isError: true,
  });
  expect(asked[1]?.messages.at(-1)).toMatchObject({ role: "toolResult", content: [{ text: "token, hidden" }], isError: true });
});

test("context changes what the next model call sees, and not the conversation", async () => {
  const { session, asked } = await openWith([
    (pi) =>
      void pi.on("context", ({ messages }) => {
        for (const message of messages) if (message.role === "user") message.content = "Something else";
        return { messages: [...messages, { role: "user", content: "And this", timestamp: 1 }] };
      }),
  ]);
  await session.prompt("Go");
  expect(asked[0]?.messages.map(({ content }) => content)).toEqual(["Something else", "And this"]);
  expect(session.messages[0]).toMatchObject({ content: "Go" });
});

describe("before_prompt", () => {
  test("changes the text for good, and the system prompt for one run", async () => {
    let times = 0;
    const { session, asked } = await openWith([
      (pi) =>
        void pi.on("before_prompt", ({ text, systemPrompt }) => {
          times += 1;
          return times === 1 ? { text: `${text}, please`, systemPrompt: `${systemPrompt}\nBe kind.` } : undefined;
        }),
      (pi) => void pi.on("before_prompt", ({ text }) => ({ text: `${text}!` })),
    ]);
    await session.prompt("Go");
    await session.prompt("Again");
    expect(session.messages[0]).toMatchObject({ role: "user", content: "Go, please!" });
    expect(asked[0]?.systemPrompt).toMatch(/\nBe kind\.$/);
    expect(asked[1]?.systemPrompt).not.toContain("Be kind.");
    expect(asked[1]?.messages.at(-1)?.content).toBe("Again!");
  });

  test("refuses a prompt: nothing is stored, and the next one goes", async () => {
    let times = 0;
    const { session, events } = await openWith([
      (pi) =>
        void pi.on("before_prompt", () => {
          times += 1;
          return times === 1 ? { refuse: "The budget is used up." } : {};
        }),
    ]);
    await expect(session.prompt("Go")).rejects.toMatchObject({ code: "invalid_input", message: "The budget is used up." });
    expect(events).toEqual([]);
    expect(session.messages).toEqual([]);
    await session.prompt("Again");
    expect(session.messages).toHaveLength(2);
  });
});

describe("before_compaction", () => {
  const longPrompt = (name: string) => `${name} `.repeat(1000);
  const openLong = (factory: ExtensionFactory) =>
    openWith([factory], [{ text: "a" }, { text: "b" }, { text: "The summary of the model" }], {
      compaction: { keepRecentTokens: 100 },
    });

  test("gives the summary, and no model is asked for one", async () => {
    const seen: unknown[] = [];
    const { session, asked } = await openLong((pi) => {
      pi.on("before_compaction", ({ reason, instructions, messages }) => {
        seen.push([reason, instructions, messages.length]);
        return { summary: "They talked." };
      });
    });
    await session.prompt(longPrompt("one"));
    await session.prompt(longPrompt("two"));
    const result = await session.compact({ instructions: "Be short" });
    expect(result.summary).toContain("They talked.");
    expect(seen).toEqual([["manual", "Be short", expect.any(Number)]]);
    expect(asked).toHaveLength(2);
    expect(session.messages[0]).toMatchObject({ role: "compactionSummary" });
  });

  test("leaves the conversation as it is", async () => {
    const { session, events } = await openLong((pi) => void pi.on("before_compaction", () => ({ cancel: true })));
    await session.prompt(longPrompt("one"));
    await session.prompt(longPrompt("two"));
    events.length = 0;
    await expect(session.compact()).rejects.toMatchObject({ code: "aborted" });
    expect(events).toEqual([
      { type: "compaction_start", reason: "manual" },
      { type: "compaction_end", reason: "manual", result: null, aborted: true, willRetry: false },
    ]);
    expect(session.messages).toHaveLength(4);
  });
});

test("session_switch refuses to leave a session; what was left is told where it is now", async () => {
  const told: string[] = [];
  let isOpen = false;
  const { session } = await openWith([
    (pi) => {
      pi.on("session_switch", ({ reason }) => {
        told.push(`asked ${reason}`);
        return { cancel: !isOpen };
      });
      pi.on("session_start", ({ reason }) => void told.push(`start ${reason}`));
    },
  ]);
  await session.prompt("Go");
  const { sessionId } = session;
  await expect(session.history.startNew()).rejects.toMatchObject({ code: "cancelled" });
  expect([session.sessionId, session.messages.length]).toEqual([sessionId, 2]);
  isOpen = true;
  await session.history.startNew();
  expect(session.sessionId).not.toBe(sessionId);
  expect(told).toEqual(["start startup", "asked new", "asked new", "start new"]);
});

describe("failures stay with the extension", () => {
  test("a handler that throws at every event changes nothing of the run but that it is told of", async () => {
    const failing: ExtensionFactory = (pi) => {
      for (const name of ["agent_start", "turn_start", "message_end", "context", "before_prompt", "agent_settled"] as const) {
        pi.on(name, () => {
          throw new Error("oops");
        });
      }
    };
    const heard: string[] = [];
    const { session, events } = await openWith([failing, (pi) => void pi.on("agent_end", () => void heard.push("agent_end"))]);
    await session.prompt("Go");
    expect(events.flatMap((event) => (event.type === "message_update" ? [] : [event.type]))).toEqual([
      "extension_error", // before_prompt
      "agent_start",
      "extension_error",
      "turn_start",
      "extension_error",
      "message_start",
      "message_end",
      "extension_error",
      "extension_error", // context
      "message_start",
      "extension_error", // message_end, which could change the message
      "message_end",
      "turn_end",
      "agent_end",
      "agent_settled",
      "extension_error",
    ]);
    expect(events.find(({ type }) => type === "extension_error")).toEqual({
      type: "extension_error",
      extensionPath: "<inline>",
      event: "before_prompt",
      error: "oops",
    });
    expect(session.lastAssistantText()).toBe("Done.");
    expect(heard).toEqual(["agent_end"]);
  });

  test("a handler that never ends is left behind after its time, and its signal is aborted", async () => {
    const clock = holdClock();
    const aborted = Promise.withResolvers<void>();
    const { session, events } = await openWith(
      [
        (pi) =>
          void pi.on("turn_start", (_event, { signal }) => {
            signal.addEventListener("abort", () => aborted.resolve());
            setImmediate(() => clock.pass(60_000));
            return new Promise<void>(() => {});
          }),
      ],
      [{ text: "Done." }],
      { extensionTimeoutMs: 60_000 },
    );
    await session.prompt("Go");
    await aborted.promise;
    expect(errorsIn(events)).toEqual(["turn_start: It did not finish in 60 s, and is no longer awaited."]);
    expect(session.lastAssistantText()).toBe("Done.");
  });

  test("time in which the user is asked does not count", async () => {
    const clock = holdClock();
    const answer = Promise.withResolvers<boolean>();
    const asked = Promise.withResolvers<void>();
    const { session, events } = await openWith(
      [
        (pi) =>
          void pi.on("tool_call", async (_event, { ui }) => {
            return (await ui.confirm("Run it?", "Really?")) ? undefined : { block: true as const, reason: "No." };
          }),
      ],
      bashThenDone("echo yes"),
      {
        extensionTimeoutMs: 60_000,
        user: {
          ...absentUser,
          confirm() {
            asked.resolve();
            return answer.promise;
          },
        },
      },
    );
    const done = session.prompt("Go");
    await asked.promise;
    clock.pass(3_600_000);
    answer.resolve(true);
    await done;
    expect(errorsIn(events)).toEqual([]);
    expect(resultOf(events)).toContain("yes");
  });

  test("a handler of errors that fails is not told of itself for ever", async () => {
    const { session, events } = await openWith([
      (pi) => {
        for (const name of ["agent_start", "extension_error"] as const) {
          pi.on(name, () => {
            throw new Error(name);
          });
        }
      },
    ]);
    await session.prompt("Go");
    expect(errorsIn(events)).toEqual(["agent_start: agent_start"]);
  });

  test("a factory that fails is left out and told of with the first run; the others are there", async () => {
    const problems: string[] = [];
    const { session, events } = await openWith(
      [
        (pi) => {
          pi.registerCommand("half", { handler() {} });
          throw new Error("no luck");
        },
        (pi) => pi.registerCommand("whole", { handler() {} }),
      ],
      [{ text: "Done." }],
      { onProblem: (problem) => problems.push(problem) },
    );
    expect(session.commands.list().map(({ name }) => name)).toEqual(["whole"]);
    expect(problems).toEqual([expect.stringContaining("The extension <inline> was not loaded: no luck")]);
    await session.prompt("Go");
    expect(events.slice(0, 2)).toEqual([
      { type: "extension_error", extensionPath: "<inline>", event: "load", error: expect.stringContaining("no luck") },
      { type: "agent_start" },
    ]);
  });

  test("an abort while a handler works does not wait for it longer than 2 seconds", async () => {
    const reached = Promise.withResolvers<void>();
    const { session, events } = await openWith(
      [
        (pi) =>
          void pi.on("tool_call", () => {
            reached.resolve();
            return new Promise<undefined>(() => {});
          }),
      ],
      bashThenDone("echo hi"),
    );
    const done = session.prompt("Go");
    await reached.promise;
    const clock = holdClock();
    const aborted = session.abort();
    await until("the handler is being waited for", () => clock.timers > 0);
    clock.pass(2000);
    await aborted;
    await done;
    expect(outline(events).slice(-2)).toEqual(["agent_end", "agent_settled"]);
    expect(session.isStreaming).toBe(false);
  });
});

test("a message that is sent at the end of a run is answered before the run has settled", async () => {
  let isSent = false;
  const { session, events } = await openWith(
    [
      (pi) =>
        void pi.on("agent_end", () => {
          if (isSent) return;
          isSent = true;
          void pi.sendMessage({ customType: "note", content: "It is half done" }, { deliverAs: "nextTurn" });
          void pi.sendMessage({ customType: "note", content: "Go on" }, { triggerTurn: true });
        }),
    ],
    [{ text: "One." }, { text: "Two." }],
  );
  await session.prompt("Go");
  expect(session.messages.map(({ role }) => role)).toEqual(["user", "assistant", "custom", "custom", "assistant"]);
  expect(events.filter(({ type }) => type === "agent_settled")).toHaveLength(1);
});

describe("commands", () => {
  test("end for clients as prompts do, but no agent has worked: extensions hear of runs only", async () => {
    const heard: string[] = [];
    const { session } = await openWith([
      (pi) => {
        pi.registerCommand("note", { handler: () => void heard.push("note") });
        for (const name of ["agent_start", "agent_end", "agent_settled"] as const) pi.on(name, () => void heard.push(name));
      },
    ]);
    await session.prompt("/note");
    await session.prompt("Go");
    expect(heard).toEqual(["note", "agent_start", "agent_end", "agent_settled"]);
  });

  test("run at once, also while a run is going, and the model hears nothing of them", async () => {
    const gate = createGate();
    const heard: string[] = [];
    const steered = Promise.withResolvers<void>();
    const { session, events } = await openWith(
      [
        (pi) =>
          pi.registerCommand("note", {
            handler(args, { isIdle }) {
              heard.push(`${args} (${isIdle() ? "idle" : "busy"})`);
              if (args === "steered") steered.resolve();
            },
          }),
      ],
      [throughGate, { text: "Done." }],
      { customTools: [gate.tool] },
    );
    const run = session.prompt("Go");
    await gate.reached;
    await session.prompt("/note in between");
    await session.queue("steer", { text: "/note steered" });
    await steered.promise;
    gate.open();
    await run;
    await session.prompt("/note at the end");
    expect(heard).toEqual(["in between (busy)", "steered (busy)", "at the end (idle)"]);
    expect(session.messages.map(({ role }) => role)).toEqual(["user", "assistant", "toolResult", "assistant"]);
    // One that ran alone ends as every prompt does.
    expect(events.slice(-3)).toEqual([
      { type: "agent_start" },
      { type: "agent_end", messages: [], willRetry: false },
      { type: "agent_settled" },
    ]);
    expect(events.filter(({ type }) => type === "agent_settled")).toHaveLength(2);
  });

  test("one that starts a run ends with it, and a failure is an event", async () => {
    const { session, events } = await openWith([
      (pi) =>
        pi.registerCommand("go", {
          async handler(args, { waitForIdle }) {
            await pi.sendMessage(`Do ${args}`);
            await waitForIdle();
            throw new Error("late");
          },
        }),
    ]);
    await session.prompt("/go it");
    await session.waitForIdle();
    expect(events.filter(({ type }) => type === "agent_settled")).toHaveLength(1);
    expect(errorsIn(events)).toEqual(["/go: late"]);
    expect(session.messages[0]).toMatchObject({ content: "Do it" });
  });

  test("an abort reaches them through their signal", async () => {
    const reached = Promise.withResolvers<void>();
    const { session } = await openWith([
      (pi) =>
        pi.registerCommand("wait", {
          async handler(_args, { signal }) {
            reached.resolve();
            await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve()));
          },
        }),
    ]);
    const done = session.prompt("/wait");
    await reached.promise;
    await session.abort();
    await done;
  });
});

describe("what extensions can do", () => {
  test("tools: one takes the place of a built-in tool, gets the context, and is judged by the tier that it declares", async () => {
    const { session, events } = await openWith(
      [
        (pi) =>
          pi.registerTool({
            name: "read",
            description: "Reads elsewhere.",
            parameters: { type: "object", properties: { path: { type: "string" } } } as never,
            riskTier: "read",
            async execute(_id, _params, _signal, _onUpdate, { cwd }) {
              return {
                content: [{ type: "text", text: `over there, not in ${cwd === workspace.cwd ? "the folder" : cwd}` }],
                details: null,
              };
            },
          }),
      ],
      [{ toolCalls: [{ name: "read", arguments: { path: "x" } }] }, { text: "Done." }],
      { approval: "always" },
    );
    expect(session.tools.names).toEqual(["bash", "edit", "write", "read"]);
    await session.prompt("Go");
    expect(resultOf(events)).toBe("over there, not in the folder");
  });

  test("tools and commands that come later are there for the next prompt", async () => {
    const { session } = await openWith([
      (pi) =>
        void pi.on("agent_end", () => {
          pi.registerCommand("later", { handler() {} });
          pi.registerTool({
            name: "later",
            description: "x",
            parameters: { type: "object" } as never,
            execute: async () => ({ content: [], details: null }),
          });
        }),
    ]);
    await session.prompt("Go");
    expect(session.tools.names).toContain("later");
    expect(session.commands.list()).toEqual([{ name: "later", source: "extension", location: "path", path: "<inline>" }]);
  });

  test("two tools of one name: the first counts, and the second is told of", async () => {
    const tool =
      (text: string): ExtensionFactory =>
      (pi) =>
        pi.registerTool({
          name: "same",
          description: "x",
          parameters: { type: "object" } as never,
          execute: async () => ({ content: [{ type: "text", text }], details: null }),
        });
    const errors: unknown[] = [];
    const { session, events } = await openWith(
      [(pi) => void pi.on("extension_error", (event) => void errors.push(event.error)), tool("first"), tool("second")],
      [{ toolCalls: [{ name: "same", arguments: {} }] }, { text: "Done." }],
    );
    await session.prompt("Go");
    expect(resultOf(events)).toBe("first");
    expect(errors).toEqual(['Another extension has a tool named "same"; this one cannot be used.']);
  });

  test("providers: their models can be named at once", async () => {
    const { session } = await openWith(
      [
        (pi) =>
          void pi.registerProvider("house", {
            api: "house-api",
            models: [{ id: "butler", contextWindow: 1000 }],
            load: async () => async (_request, assembler) => {
              const text = assembler.openText();
              text.append("At your service.");
              text.end();
              assembler.done("stop");
            },
          }),
      ],
      [],
      { model: "house/butler" },
    );
    await session.prompt("Go");
    expect(session.lastAssistantText()).toBe("At your service.");
  });

  test("a faulty provider is a load error that names the field", async () => {
    const problems: string[] = [];
    await openWith([(pi) => void pi.registerProvider("house", { api: 5, models: [] } as never)], [], {
      onProblem: (problem) => problems.push(problem),
    });
    expect(problems).toEqual([expect.stringContaining('Provider "house": Field "api" must be a string, but is 5')]);
  });

  test("messages: added without an answer, or to be answered; entries: stored and read again", async () => {
    const { session, events, asked } = await openWith(
      [
        (pi) => {
          pi.registerCommand("add", {
            handler: () => pi.sendMessage({ customType: "note", content: "Remember the milk." }),
          });
          pi.registerCommand("ask", {
            handler: () =>
              pi.sendMessage(
                { customType: "note", content: "What now?", display: false },
                { triggerTurn: true, deliverAs: "steer" },
              ),
          });
          pi.registerCommand("count", {
            async handler(_args, context) {
              const before = (await context.lastEntry("my.count")) as { n: number } | undefined;
              await pi.appendEntry("my.count", { n: (before?.n ?? 0) + 1 });
            },
          });
        },
      ],
      [{ text: "Nothing." }],
      { session: "new" },
    );
    await session.prompt("/add");
    expect(asked).toEqual([]);
    expect(session.messages).toMatchObject([{ role: "custom", customType: "note", content: "Remember the milk.", display: true }]);
    await session.prompt("/ask");
    await session.waitForIdle();
    expect(session.lastAssistantText()).toBe("Nothing.");
    expect(asked[0]?.messages.map(({ content }) => content)).toEqual(["Remember the milk.", "What now?"]);
    await session.prompt("/count");
    await session.prompt("/count");
    const entries = await session.history.entries();
    expect(entries.flatMap((entry) => (entry.type === "custom" ? [entry.data] : []))).toEqual([{ n: 1 }, { n: 2 }]);
    expect(errorsIn(events)).toEqual([]);
  });

  test("exec runs a program without a shell in the working folder", async () => {
    const results: unknown[] = [];
    const { session } = await openWith([
      (pi) =>
        pi.registerCommand("run", {
          async handler() {
            results.push(await pi.exec("node", ["-e", "console.log('$HOME'); console.error(process.cwd()); process.exit(3)"]));
          },
        }),
    ]);
    await session.prompt("/run");
    expect(results).toEqual([{ stdout: "$HOME\n", stderr: `${workspace.cwd}\n`, exitCode: 3, code: 3, killed: false }]);
  });

  test("shutdown is told once, when the session ends, and what it stores is kept", async () => {
    const told: string[] = [];
    const { session } = await openWith(
      [
        (pi) =>
          void pi.on("shutdown", async ({ reason }) => {
            await pi.appendEntry("my.end", { reason });
            told.push(reason);
          }),
      ],
      [{ text: "Done." }],
      { session: "new" },
    );
    await session.prompt("Go");
    await session.dispose();
    await session.dispose();
    expect(told).toEqual(["end"]);
    expect((await workspace.sessionLines()).at(-1)).toMatchObject({
      type: "custom",
      customType: "my.end",
      data: { reason: "end" },
    });
  });

  test("what needs a session says so while the factory is at work", async () => {
    const problems: string[] = [];
    await openWith([(pi) => pi.sendMessage("Hello")], [], { onProblem: (problem) => problems.push(problem) });
    expect(problems).toEqual([expect.stringContaining("There is no session yet")]);
  });
});
