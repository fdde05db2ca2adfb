import { commands } from "@pikit/coding-agent/protocol";
import { expect, test } from "vitest";
import type { CommandData, CommandName, RpcClient } from "../src/index.ts";
import { startClient } from "./helpers/clients.ts";

const image = { type: "image" as const, data: "iVBORw0KGgo=", mimeType: "image/png" };
const phases = [{ name: "Plan", tasks: [{ content: "Think" }] }];
const model = { provider: "demo", id: "tour" };

interface Call {
  call: (client: RpcClient) => Promise<unknown>;
  /** The fields that are sent. */
  sends?: object;
  /** What the agent answers. */
  data?: unknown;
  /** What the method gives. Default: the data. */
  gives?: unknown;
}

const calls: { [N in Exclude<CommandName, "set_host_tools" | "set_host_models">]: Call } = {
  prompt: {
    call: (client) => client.prompt("Hi", { images: [image], streamingBehavior: "steer", timeoutMs: 9_000 }),
    sends: { message: "Hi", images: [image], streamingBehavior: "steer" },
  },
  steer: { call: (client) => client.steer("left", { images: [image] }), sends: { message: "left", images: [image] } },
  follow_up: { call: (client) => client.followUp("later"), sends: { message: "later" } },
  abort: { call: (client) => client.abort() },
  abort_and_prompt: { call: (client) => client.abortAndPrompt("instead"), sends: { message: "instead" } },
  clear_queue: { call: (client) => client.clearQueue(), data: { steering: ["a"], followUp: [] } },
  set_steering_mode: { call: (client) => client.setSteeringMode("all"), sends: { mode: "all" } },
  set_follow_up_mode: { call: (client) => client.setFollowUpMode("one-at-a-time"), sends: { mode: "one-at-a-time" } },
  set_interrupt_mode: { call: (client) => client.setInterruptMode("wait"), sends: { mode: "wait" } },
  set_auto_retry: { call: (client) => client.setAutoRetry(false), sends: { enabled: false } },
  abort_retry: { call: (client) => client.abortRetry() },
  new_session: {
    call: (client) => client.newSession({ parentSession: "/p.jsonl", timeoutMs: 9_000 }),
    sends: { parentSession: "/p.jsonl" },
    data: { cancelled: false },
  },
  switch_session: {
    call: (client) => client.switchSession("/s.jsonl", { takeOverLock: true, timeoutMs: 9_000 }),
    sends: { sessionPath: "/s.jsonl", takeOverLock: true },
    data: { cancelled: false },
  },
  fork: { call: (client) => client.fork("e1"), sends: { entryId: "e1" }, data: { text: "Hi", cancelled: false } },
  clone: { call: (client) => client.clone(), data: { cancelled: false } },
  branch: {
    call: (client) => client.branch(3, { restoreFiles: true }),
    sends: { entryIndex: 3, restoreFiles: true },
    data: { text: "Hi", cancelled: false },
  },
  undo: {
    call: (client) => client.undo({ dryRun: true, timeoutMs: 9_000 }),
    sends: { dryRun: true },
    data: { restored: [], conflicts: [], notCovered: [] },
  },
  redo: {
    call: (client) => client.redo({ force: true }),
    sends: { force: true },
    data: { restored: [], conflicts: [], notCovered: [] },
  },
  get_branch_messages: {
    call: (client) => client.getBranchMessages(),
    data: { messages: [{ entryIndex: 0, entryId: "e", text: "Hi" }] },
    gives: [{ entryIndex: 0, entryId: "e", text: "Hi" }],
  },
  get_fork_messages: { call: (client) => client.getForkMessages(), data: { messages: [] }, gives: [] },
  get_entries: {
    call: (client) => client.getEntries({ since: "e1", limit: 5 }),
    sends: { since: "e1", limit: 5 },
    data: { entries: [], leafId: null },
  },
  get_tree: { call: (client) => client.getTree(), data: { tree: [], leafId: null } },
  set_session_name: { call: (client) => client.setSessionName("A name"), sends: { name: "A name" } },
  get_state: { call: (client) => client.getState(), data: { streamMode: "deltas" } },
  get_messages: { call: (client) => client.getMessages(), data: { messages: [] }, gives: [] },
  get_last_assistant_text: { call: (client) => client.getLastAssistantText(), data: { text: null }, gives: null },
  set_model: { call: (client) => client.setModel("demo", "tour"), sends: { provider: "demo", modelId: "tour" }, data: model },
  cycle_model: { call: (client) => client.cycleModel(), data: null },
  set_thinking_level: { call: (client) => client.setThinkingLevel("low"), sends: { level: "low" } },
  cycle_thinking_level: { call: (client) => client.cycleThinkingLevel(), data: { level: "low" } },
  get_available_thinking_levels: {
    call: (client) => client.getAvailableThinkingLevels(),
    data: { levels: ["off"] },
    gives: ["off"],
  },
  get_available_models: { call: (client) => client.getAvailableModels(), data: { models: [model] }, gives: [model] },
  bash: {
    call: (client) => client.bash("ls", { excludeFromContext: true }),
    sends: { command: "ls", excludeFromContext: true },
    data: { output: "" },
  },
  abort_bash: { call: (client) => client.abortBash() },
  compact: {
    call: (client) => client.compact({ customInstructions: "Brief" }),
    sends: { customInstructions: "Brief" },
    data: { summary: "" },
  },
  set_auto_compaction: { call: (client) => client.setAutoCompaction(true), sends: { enabled: true } },
  set_todos: { call: (client) => client.setTodos(phases), sends: { phases }, data: { todoPhases: [] }, gives: [] },
  get_session_stats: { call: (client) => client.getSessionStats(), data: { cost: 0 } },
  get_commands: { call: (client) => client.getCommands(), data: { commands: [] }, gives: [] },
  export_html: {
    call: (client) => client.exportHtml({ outputPath: "/a.html" }),
    sends: { outputPath: "/a.html" },
    data: { path: "/a.html" },
    gives: "/a.html",
  },
  set_stream_mode: {
    call: (client) => client.setStreamMode("snapshots"),
    sends: { mode: "snapshots" },
    data: { mode: "snapshots" },
    gives: undefined,
  },
  get_protocol_info: {
    call: (client) => client.getProtocolInfo(),
    gives: expect.objectContaining({ protocolVersion: 1 } satisfies Partial<CommandData<"get_protocol_info">>),
  },
};

/** What a method gives: what it says, else the data; nothing for a command without data. */
function expected(call: Call): unknown {
  return "gives" in call ? call.gives : call.data;
}

test("each method sends its command's fields and nothing else, and gives what is answered", async () => {
  const data = Object.fromEntries(Object.entries(calls).map(([name, call]) => [name, (call as Call).data ?? null]));
  await using client = await startClient("echoes", { env: { DATA: JSON.stringify(data) } });
  const received: Record<string, unknown>[] = [];
  client.onEvent((event) => {
    if ((event.type as string) === "received") received.push((event as unknown as { record: Record<string, unknown> }).record);
  });
  for (const [name, call] of Object.entries(calls) as [string, Call][]) {
    expect([name, await call.call(client)]).toEqual([name, expected(call)]);
    const { id: _, ...record } = received.at(-1) ?? {};
    expect(record).toEqual({ type: name, ...call.sends });
  }
  expect(received).toHaveLength(Object.keys(calls).length);
  // The remaining two, set_host_tools and set_host_models, have tests of their own.
  expect(Object.keys(calls).length + 2).toBe(Object.keys(commands).length);
});

test("branch takes an entry's id, too", async () => {
  await using client = await startClient("echoes", { env: { DATA: JSON.stringify({ branch: { text: "", cancelled: false } }) } });
  const sent = new Promise((resolve) => client.onEvent(resolve));
  await client.branch("e7");
  expect(await sent).toMatchObject({ record: { type: "branch", entryId: "e7" } });
});
