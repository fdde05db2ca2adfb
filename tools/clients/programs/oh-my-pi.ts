// Uses the client of oh-my-pi with the command of `PI_CLI`, and prints one JSON line for each check. It runs under Bun, as its users run it.
const { RpcClient } = (await import(`${process.env.OMP_FOLDER}/src/modes/rpc/rpc-client.ts`)) as { RpcClient: ClientClass };

type ClientClass = new (options: { cliPath: string; args: string[]; cwd: string; env: Record<string, string> }) => Client;

interface Client {
  start(): Promise<void>;
  stop(): Promise<void>;
  onPromptResult(listener: (result: { id?: string; status: string; agentInvoked: boolean }) => void): () => void;
  onSessionSettled(listener: () => void): () => void;
  prompt(message: string): Promise<string>;
  promptAndWait(message: string, images?: undefined, timeout?: number): Promise<{ type: string }[]>;
  waitForSettled(timeout?: number): Promise<void>;
  steer(message: string): Promise<void>;
  abort(): Promise<void>;
  getState(): Promise<{ isSettled: boolean; sessionId: string; messageCount: number }>;
  getLastAssistantText(): Promise<string | null | undefined>;
  getMessages(): Promise<{ role: string }[]>;
  getAvailableCommands(): Promise<{ name: string; source: string }[]>;
  getAvailableModels(): Promise<{ id: string }[]>;
  getAvailableThinkingLevels(): Promise<string[]>;
  getEntries(): Promise<{ entries: unknown[]; leafId: string | null }>;
  getTree(): Promise<{ tree: unknown[] }>;
  getSessionStats(): Promise<{ userMessages: number }>;
  getBranchMessages(): Promise<{ entryId: string; text: string }[]>;
  branch(entryId: string): Promise<{ text: string; cancelled: boolean }>;
  bash(command: string): Promise<{ output: string; exitCode?: number }>;
  compact(): Promise<{ summary: string }>;
  newSession(): Promise<{ cancelled: boolean }>;
  setCustomTools(tools: object[]): Promise<string[]>;
  setEventFilter(events: string[] | null): Promise<unknown>;
}

function check(name: string, run: () => Promise<void>): Promise<void> {
  return run().then(
    () => console.log(JSON.stringify({ name })),
    (error: unknown) => console.log(JSON.stringify({ name, reason: error instanceof Error ? error.message : String(error) })),
  );
}

function expect(isTrue: boolean, what: unknown): void {
  if (!isTrue) throw new Error(`unexpected: ${JSON.stringify(what)}`);
}

const runMs = 60_000;
const env = process.env as Record<string, string>;
const [model = ""] = process.argv.slice(2);
const client = new RpcClient({ cliPath: String(env.PI_CLI), args: ["--model", model], cwd: process.cwd(), env });
const results: { id?: string; status: string; agentInvoked: boolean }[] = [];
let settled = 0;
client.onPromptResult((result) => results.push(result));
client.onSessionSettled(() => {
  settled += 1;
});

await check("start: the ready line, and the state", async () => {
  await client.start();
  const state = await client.getState();
  expect(state.isSettled && state.messageCount === 0, state);
  await client.waitForSettled(runMs);
});
await check("promptAndWait ends with the result of its prompt", async () => {
  const events = await client.promptAndWait("Hi", undefined, runMs);
  expect(events.some(({ type }) => type === "message_update") && events.at(-1)?.type === "agent_end", events.at(-1));
  expect(results[0]?.status === "completed" && results[0].agentInvoked, results);
  await client.waitForSettled(runMs);
  expect(settled === 1, settled);
});
await check("texts, messages, counts, entries and the tree", async () => {
  expect((await client.getLastAssistantText()) === "Hello.", await client.getLastAssistantText());
  expect((await client.getMessages()).length === 2, await client.getMessages());
  expect((await client.getSessionStats()).userMessages === 1, await client.getSessionStats());
  expect((await client.getEntries()).entries.length > 1 && (await client.getTree()).tree.length === 1, await client.getTree());
});
await check("commands, models and levels", async () => {
  const commands = await client.getAvailableCommands();
  expect(commands[0]?.name === "review", commands);
  expect((await client.getAvailableModels()).length > 0, await client.getAvailableModels());
  expect((await client.getAvailableThinkingLevels())[0] === "off", await client.getAvailableThinkingLevels());
});
await check("bash", async () => {
  const result = await client.bash("echo out; exit 3");
  expect(result.output === "out\n" && result.exitCode === 3, result);
});
await check("a tool of the client, which the model calls", async () => {
  const tool = {
    ...{ name: "weather", label: "Weather", description: "Tells the weather" },
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    execute: async ({ city }: { city: string }) => ({ content: [{ type: "text", text: `Rain in ${city}` }], details: {} }),
  };
  const names = await client.setCustomTools([tool]);
  expect(names[0] === "weather", names);
  await client.promptAndWait("What about Oslo?", undefined, runMs);
  expect((await client.getLastAssistantText()) === "It rains.", await client.getLastAssistantText());
  expect(JSON.stringify(await client.getMessages()).includes("Rain in Oslo"), "no result of the tool");
});
await check("compact, branch and newSession", async () => {
  expect((await client.compact()).summary !== "", "no summary");
  const [first] = await client.getBranchMessages();
  expect(first !== undefined, "no message");
  expect(!(await client.branch(first?.entryId ?? "")).cancelled, "cancelled");
  expect(!(await client.newSession()).cancelled, "cancelled");
});
await check("abort ends a run, and its prompt says so", async () => {
  const id = await client.prompt("Wait");
  await client.abort();
  await client.waitForSettled(runMs);
  expect(results.find((result) => result.id === id)?.status === "aborted", results);
});
await check("a command of its own that pi does not have is refused at once", async () => {
  const outcome = await client.setEventFilter(null).then(
    () => "accepted",
    (error: unknown) => String(error),
  );
  expect(outcome.includes("Unknown command: set_event_filter"), outcome);
});
await check("stop", () => client.stop());
process.exit(0);
