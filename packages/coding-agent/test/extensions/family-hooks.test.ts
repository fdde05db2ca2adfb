import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type Context, createScriptedModel, type Model, type ScriptedAnswer } from "@pikit/ai";
import { openai, startProviderServer } from "@pikit/test-kit";
import { describe, expect, test } from "vitest";
import type { ExtensionFactory } from "../../src/extensions/api.ts";
import { Type } from "../../src/index.ts";
import type { CreateAgentSessionOptions } from "../../src/session/options.ts";
import { absentUser } from "../../src/user-interface.ts";
import { openSession } from "../helpers/sessions.ts";
import { useWorkspace } from "../helpers/workspace.ts";

const workspace = useWorkspace();

/** Writes a file in the working folder, or at an absolute path. */
async function put(path: string, text: string): Promise<void> {
  const file = resolve(workspace.cwd, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

async function openWith(
  extension: ExtensionFactory,
  answers: readonly ScriptedAnswer[] = [],
  options: CreateAgentSessionOptions = {},
) {
  const asked: Context[] = [];
  const model = createScriptedModel({
    script(context) {
      asked.push(structuredClone({ ...context, tools: [] }));
      return answers[asked.length - 1] ?? { text: "Done." };
    },
  });
  return { ...(await openSession(workspace, { model, extensions: [extension], session: "memory", ...options })), asked, model };
}

describe("user_bash", () => {
  test("an extension runs a command elsewhere, answers it itself, or leaves it to the session", async () => {
    const { session } = await openWith((pi) => {
      pi.on("user_bash", ({ command }) => (command === "date" ? { result: { output: "Monday\n", exitCode: 0 } } : undefined));
      pi.on("user_bash", ({ command }) => {
        if (command.startsWith("echo")) return undefined;
        return {
          operations: {
            async exec(line, _cwd, { onData }) {
              onData(Buffer.from(`\u001b[1mfar away: ${line}\u001b[0m\n`));
              return { exitCode: 3 };
            },
          },
        };
      });
    });
    expect(await session.shell.run("date")).toMatchObject({ output: "Monday\n", exitCode: 0, cancelled: false, totalLines: 1 });
    expect(await session.shell.run("ls")).toMatchObject({ output: "far away: ls\n", exitCode: 3 });
    expect(await session.shell.run("echo here")).toMatchObject({ output: "here\n", exitCode: 0 });
    expect(session.messages.map((message) => message.role === "bashExecution" && message.output)).toEqual([
      "Monday\n",
      "far away: ls\n",
      "here\n",
    ]);
  });

  test("a handler that fails keeps the command from running", async () => {
    const { session } = await openWith((pi) => {
      pi.on("user_bash", () => {
        throw new Error("no connection");
      });
    });
    await expect(session.shell.run("touch made")).rejects.toMatchObject({
      code: "invalid_input",
      message: "The command was not run. The extension <inline> handles commands and failed: no connection",
    });
    expect(session.messages).toEqual([]);
  });
});

test("the model and the thinking level that are chosen are told with the former ones", async () => {
  const told: unknown[] = [];
  const model: Model = { ...createScriptedModel({ script: () => ({ text: "Hi" }) }), reasoning: true };
  const { session } = await openWith(
    (pi) => {
      pi.on("model_select", ({ model: { id }, previousModel, source }) => void told.push([id, previousModel?.id, source]));
      pi.on("thinking_level_select", ({ level, previousLevel }) => void told.push([level, previousLevel]));
      pi.registerCommand("think", { handler: (level) => pi.setThinkingLevel(level as "low") });
    },
    [],
    { model, thinkingLevel: "low" },
  );
  await session.prompt("/think high");
  await session.models.set({ ...model, id: "other" });
  expect(told).toEqual([
    ["high", "low"],
    ["other", model.id, "set"],
  ]);
});

test("message_end replaces the answer before it is stored", async () => {
  const { session, events } = await openWith((pi) => {
    pi.on("message_end", ({ message }) => {
      if (message.role !== "assistant") return;
      return { message: { ...message, content: [{ type: "text", text: "Changed." }] } };
    });
    pi.on("message_end", ({ message }) => ({ message: { ...message, role: "user" } as never }));
  });
  await session.prompt("Go");
  expect(session.lastAssistantText()).toBe("Changed.");
  const stored = (await session.history.entries()).flatMap((entry) => (entry.type === "message" ? [entry.message] : []));
  expect(stored.at(-1)).toMatchObject({ role: "assistant", content: [{ type: "text", text: "Changed." }] });
  expect(events.filter(({ type }) => type === "message_end")).toHaveLength(2);
});

test("resources_discover adds skills and templates", async () => {
  const folder = join(workspace.cwd, "more");
  await mkdir(join(folder, "skills", "sing"), { recursive: true });
  await writeFile(join(folder, "skills", "sing", "SKILL.md"), "---\nname: sing\ndescription: Sings\n---\nSing loudly.\n");
  await writeFile(join(folder, "greet.md"), "Greet $1.\n");
  const reasons: string[] = [];
  const { session, asked } = await openWith((pi) => {
    pi.on("resources_discover", ({ reason }) => {
      reasons.push(reason);
      return { skillPaths: ["more/skills"], promptPaths: [join(folder, "greet.md")] };
    });
  });
  await session.prompt("/greet Ann");
  expect(asked[0]?.messages[0]).toMatchObject({ content: "Greet Ann." });
  expect((await session.listCommands()).map(({ name }) => name)).toEqual(["greet", "skill:sing"]);
  await session.prompt("/reload");
  expect((await session.listCommands()).map(({ name }) => name)).toEqual(["greet", "skill:sing"]);
  expect(reasons).toEqual(["startup", "reload"]);
});

test("a tool ends the run, changes its arguments before they are checked, and has a line in the system prompt", async () => {
  const received: unknown[] = [];
  const { session, asked } = await openWith(
    (pi) => {
      pi.registerTool<{ target: string }>({
        name: "finish",
        description: "Finishes",
        promptSnippet: "Finishes the work",
        promptGuidelines: ["Call finish last."],
        parameters: Type.Object({ target: Type.String() }),
        prepareArguments: (args) => ({ target: String((args as { name: string }).name) }),
        async execute(_id, params) {
          received.push(params);
          return { content: [{ type: "text", text: "Finished." }], details: undefined, terminate: true };
        },
      });
    },
    [{ toolCalls: [{ name: "finish", arguments: { name: "all" } }] }],
  );
  await session.prompt("Go");
  expect(received).toEqual([{ target: "all" }]);
  expect(asked).toHaveLength(1);
  expect(session.messages.at(-1)).toMatchObject({ role: "toolResult" });
  expect(asked[0]?.systemPrompt).toContain("- finish: Finishes the work\n- Call finish last.");
});

test("sections that handlers add to the parts of the system prompt apply to the run", async () => {
  const { session, asked } = await openWith((pi) => {
    pi.on("before_agent_start", ({ systemPromptOptions: { sections, selectedTools } }) => {
      sections.house_rules = `Use ${selectedTools[0]} first.`;
    });
    pi.on("before_agent_start", ({ systemPrompt }) => {
      expect(systemPrompt).toContain("<house_rules>");
    });
  });
  await session.prompt("Go");
  expect(asked[0]?.systemPrompt).toMatch(/<house_rules>\nUse read first\.\n<\/house_rules>$/);
});

test("requests to a provider can be changed, and its responses are told", async () => {
  await using server = await startProviderServer();
  server.respond(openai.text("Hello."));
  const told: unknown[] = [];
  const { session } = await openSession(workspace, {
    session: "memory",
    model: "house/butler",
    extensions: [
      async (pi) => {
        pi.on("before_provider_request", ({ payload }) => ({ ...(payload as object), top_k: 3 }));
        pi.on("before_provider_headers", ({ headers }) => {
          headers["x-trace"] = "t-1";
          headers["x-house"] = null;
        });
        pi.on("after_provider_response", ({ status, headers }) => void told.push(status, headers["content-type"]));
        await pi.registerProvider("house", {
          baseUrl: `${server.url}/v1`,
          api: "openai-completions",
          headers: { "x-house": "yes" },
          models: [{ id: "butler" }],
        });
      },
    ],
  });
  await session.prompt("Go");
  expect(session.lastAssistantText()).toBe("Hello.");
  const [request] = server.requests;
  expect(request?.body).toMatchObject({ model: "butler", top_k: 3 });
  expect(request?.headers).toMatchObject({ "x-trace": "t-1" });
  expect(request?.headers).not.toHaveProperty("x-house");
  expect(told).toEqual([200, expect.stringContaining("text/event-stream")]);
});

test("context.modelRegistry finds models, knows which have keys, and calls one", async () => {
  const seen: unknown[] = [];
  const { session, model } = await openWith((pi) => {
    pi.on("session_start", async (_event, { modelRegistry, model: current }) => {
      const found = modelRegistry.find("anthropic", "claude-sonnet-5-5");
      seen.push(found?.provider, found && modelRegistry.hasConfiguredAuth(found), modelRegistry.getAll().length > 100);
      if (!current) return;
      const answer = await modelRegistry.complete(current, { messages: [{ role: "user", content: "Hi", timestamp: 1 }] });
      seen.push(answer.content);
    });
  });
  expect(seen).toEqual(["anthropic", false, true, [{ type: "text", text: "Done." }]]);
  expect(session.models.current?.id).toBe(model.id);
});

test.each([
  { summary: undefined, expected: { summary: "What was tried.", fromHook: undefined }, calls: 3 },
  { summary: "By hand.", expected: { summary: "By hand.", fromHook: true }, calls: 2 },
])(
  "navigateTree summarises the branch that it leaves; session_before_tree can write: $summary",
  async ({ summary, expected, calls }) => {
    const told: unknown[] = [];
    const answers = [{ text: "One." }, { text: "Two." }, { text: "What was tried." }, { text: "Three." }];
    const { session, asked } = await openWith((pi) => {
      pi.on("session_before_tree", ({ preparation: { entriesToSummarize, userWantsSummary } }) => {
        told.push(
          userWantsSummary,
          entriesToSummarize.flatMap((entry) => (entry.type === "message" ? [entry.message.role] : [])),
        );
        return summary === undefined ? undefined : { summary: { summary } };
      });
      pi.on("session_tree", ({ summaryEntry, fromExtension }) => void told.push(summaryEntry?.type, fromExtension));
      pi.registerCommand("back", {
        async handler(_args, { sessionManager, navigateTree }) {
          const first = sessionManager.getBranch().find((entry) => entry.type === "message" && entry.message.role === "assistant");
          told.push(await navigateTree(first?.id ?? "", { summarize: true, label: "left" }));
          const summaryEntry = sessionManager.getEntries().find(({ type }) => type === "branch_summary");
          told.push(sessionManager.getLabel(summaryEntry?.id ?? ""));
        },
      });
    }, answers);
    await session.prompt("First");
    await session.prompt("Second");
    await session.prompt("/back");
    expect(told).toEqual([true, ["user", "assistant"], "branch_summary", summary !== undefined, { cancelled: false }, "left"]);
    expect(asked).toHaveLength(calls);
    const entries = await session.history.entries();
    expect(entries.find(({ type }) => type === "branch_summary")).toMatchObject(JSON.parse(JSON.stringify(expected)));
    expect(session.messages.map(({ role }) => role)).toEqual(["user", "assistant", "branchSummary"]);
  },
);

test.each([
  { answer: '{ trusted: "yes" }', commands: ["from-project"], again: 2 },
  { answer: '{ trusted: "yes", remember: true }', commands: ["from-project"], again: 1 },
  { answer: '{ trusted: "no" }', commands: [], again: 2 },
  { answer: '{ trusted: "undecided" }', commands: [], again: 2 },
])("project_trust: the user's extensions answer $answer before the user is asked", async ({ answer, commands, again }) => {
  const asked: string[] = [];
  const user = { ...absentUser, confirm: async ({ title }: { title: string }) => void asked.push(title) === undefined && false };
  await put(".pi/extensions/theirs.ts", 'export default (pi) => pi.registerCommand("from-project", { handler() {} });');
  await put(
    join(workspace.agentDir, "extensions", "mine.ts"),
    `import { appendFileSync } from "node:fs";
    export default (pi) => {
      pi.on("project_trust", ({ cwd }, ctx) => {
        appendFileSync(${JSON.stringify(join(workspace.root, "asked"))}, cwd + " " + ctx.mode + " " + ctx.cwd + "\\n");
        return ${answer};
      });
    };`,
  );
  const open = () => openSession(workspace, { session: "memory", user, onProblem: () => {} });
  const { session } = await open();
  expect(session.commands.list().map(({ name }) => name)).toEqual(commands);
  await open();
  const line = `${workspace.cwd} print ${workspace.cwd}\n`;
  expect(await readFile(join(workspace.root, "asked"), "utf8")).toBe(line.repeat(again));
  expect(asked).toHaveLength(answer.includes("undecided") ? 2 : 0);
});

test("a folder with an index file and prompts of its own is one extension", async () => {
  await put("tool/index.ts", 'export default (pi) => pi.registerCommand("tool", { handler() {} });');
  await put("tool/prompts/greet.md", "Greet.");
  const { session } = await openSession(workspace, { session: "memory", extensions: ["tool"] });
  expect((await session.listCommands()).map(({ name }) => name)).toEqual(["tool"]);
});

test("commands with the same name get a number, in the order of the extensions", async () => {
  const called: string[] = [];
  const review = (name: string): ExtensionFactory => {
    return (pi) => pi.registerCommand("review", { description: name, handler: (args) => void called.push(`${name} ${args}`) });
  };
  const { session, events } = await openSession(workspace, {
    session: "memory",
    extensions: [review("first"), review("second"), (pi) => pi.registerCommand("other", { handler: () => {} })],
  });
  expect(session.commands.list().map(({ name, description }) => [name, description])).toEqual([
    ["review:1", "first"],
    ["review:2", "second"],
    ["other", undefined],
  ]);
  await session.prompt("/review:2 all");
  expect(called).toEqual(["second all"]);
  expect(events.filter(({ type }) => type === "extension_error")).toEqual([]);
});

test("a message that shall start no run is only added, also during a run", async () => {
  const { session, asked } = await openWith((pi) => {
    pi.on("agent_end", () => pi.sendMessage({ customType: "note", content: "Noted." }, { triggerTurn: false }));
  });
  await session.prompt("Go");
  expect(asked).toHaveLength(1);
  expect(session.messages.at(-1)).toMatchObject({ role: "custom", content: "Noted." });
});

test("a dialog of an extension is told when it opens and when it is answered", async () => {
  const told: unknown[] = [];
  const { session } = await openWith(
    (pi) => {
      pi.on("ui_prompt_start", ({ kind, title }) => void told.push([kind, title]));
      pi.on("ui_prompt_end", ({ kind }) => void told.push([kind, "answered"]));
      pi.registerCommand("ask", {
        async handler(_args, { ui, mode, hasUI }) {
          told.push(await ui.input("Name?"), mode, hasUI);
        },
      });
    },
    [],
    { user: { ...absentUser, mode: "rpc", confirm: async () => true, input: async () => "Ann" } },
  );
  await session.prompt("/ask");
  expect(told).toEqual([["input", "Name?"], ["input", "answered"], "Ann", "rpc", true]);
});
