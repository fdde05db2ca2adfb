import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type AgentMessage, type ClientTool, createPool, RpcClient, type RpcClientOptions } from "../src/index.ts";
import { errorOf } from "./helpers/clients.ts";

// The built agent of this workspace, with models that play a script.

function scripted(answers: object[]): RpcClientOptions & { cwd: string } {
  const cwd = mkdtempSync(join(tmpdir(), "rpc-client-work-"));
  const script = join(cwd, "answers.jsonl");
  mkdirSync(join(cwd, "agent"));
  writeFileSync(script, answers.map((answer) => `${JSON.stringify(answer)}\n`).join(""));
  return { cwd, env: { PI_CODING_AGENT_DIR: join(cwd, "agent") }, model: `script/${script}` };
}

async function startAgent(answers: object[], options: RpcClientOptions = {}): Promise<RpcClient> {
  const client = new RpcClient({ ...scripted(answers), ...options });
  await client.start();
  return client;
}

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const weatherCall = { toolCalls: [{ name: "weather", arguments: { city: "Oslo" } }] };
const resultsOf = (messages: AgentMessage[]) => messages.filter((message) => message.role === "toolResult");

test("the model calls a tool that runs here, sees its updates and its result, and an error as an error", async () => {
  await using client = await startAgent([weatherCall, weatherCall, { text: "Sun." }], { noSession: true });
  let calls = 0;
  const updates: unknown[] = [];
  const updated = new Promise<void>((resolve) => {
    client.onEvent("tool_execution_update", ({ partialResult }) => {
      updates.push(partialResult.content);
      resolve();
    });
  });
  const weather: ClientTool<{ city: string }> = {
    ...{ name: "weather", description: "Tells the weather.", parameters },
    async execute({ city }, { update }) {
      calls += 1;
      if (calls === 2) throw new Error("no network");
      update("looking");
      await updated;
      return { content: [{ type: "text", text: `${city}: sun` }], details: { degrees: 20 } };
    },
  };
  expect(await client.setTools([weather])).toEqual(["weather"]);
  const messages = await client.promptAndWait("How is the weather?");
  expect(resultsOf(messages)).toMatchObject([
    { toolName: "weather", content: [{ type: "text", text: "Oslo: sun" }], details: { degrees: 20 }, isError: false },
    { toolName: "weather", content: [{ type: "text", text: "no network" }], isError: true },
  ]);
  expect(updates).toEqual([[{ type: "text", text: "looking" }]]);
  const bash = { ...weather, name: "bash" };
  expect(await errorOf(client.setTools([bash]))).toMatchObject({ code: "command_failed", command: "set_host_tools" });
});

test("an abort cancels a call that runs here", async () => {
  await using client = await startAgent([weatherCall, { text: "Sun." }], { noSession: true });
  const cancelled = Promise.withResolvers<void>();
  await client.setTools([
    {
      ...{ name: "weather", description: "Never ends.", parameters },
      execute: (_, { signal }) =>
        new Promise(() => {
          signal.addEventListener("abort", () => cancelled.resolve());
          void client.abort();
        }),
    },
  ]);
  const messages = await client.promptAndWait("How is the weather?");
  await cancelled.promise;
  expect(resultsOf(messages)).toMatchObject([{ isError: true }]);
});

test("an approval is asked of the handler; without one the answer is no, and nothing waits", async () => {
  const touch = (name: string) => ({ toolCalls: [{ name: "bash", arguments: { command: `touch ${name}` } }] });
  const answers = [touch("one"), touch("two"), { text: "Done." }];
  await using client = await startAgent(answers, { noSession: true, args: ["--approval", "always"] });
  const asked: string[] = [];
  const remove = client.onConfirm(({ title, message }) => {
    asked.push(`${title} ${message}`);
    remove();
    return true;
  });
  const results = resultsOf(await client.promptAndWait("Go"));
  expect(results.map((result) => result.isError)).toEqual([false, true]);
  expect(asked).toEqual([expect.stringContaining("touch one")]);
});

test("bash tells its output while the command runs", async () => {
  await using client = await startAgent([], { noSession: true });
  const seen = Promise.withResolvers<void>();
  let output = "";
  const running = client.bash("echo one; until [ -e go ]; do sleep 0.02; done; echo two", {
    onOutput: (delta) => {
      output += delta;
      if (output === "one\n") seen.resolve();
    },
  });
  await seen.promise;
  await client.bash("touch go", { excludeFromContext: true });
  expect(await running).toMatchObject({ output: "one\ntwo\n", exitCode: 0 });
  expect(output).toBe("one\ntwo\n");
});

test("text yields the answers of a run, and the session can be named, walked and branched", async () => {
  await using client = await startAgent([
    { text: "I look.", toolCalls: [{ name: "bash", arguments: { command: "true" } }] },
    ...[{ text: "Done." }, { text: "Again." }],
  ]);
  let text = "";
  for await (const part of client.text("Go")) text += part;
  expect(text).toBe("I look.\n\nDone.");
  await client.setSessionName("A walk");
  await client.promptAndWait("More");
  const [first, second] = await client.getForkMessages();
  expect([first?.text, second?.text]).toEqual(["Go", "More"]);
  const { tree, leafId } = await client.getTree();
  const { entries } = await client.getEntries({ limit: 3 });
  expect([tree.length > 0, typeof leafId, entries.length]).toEqual([true, "string", 3]);
  const before = (await client.getState()).sessionFile;
  expect(await client.fork(second?.entryId ?? "")).toEqual({ text: "More", cancelled: false });
  const { sessionFile, sessionName } = await client.getState();
  expect([sessionFile !== before, typeof sessionName]).toEqual([true, "string"]);
  expect(await client.getLastAssistantText()).toBe("Done.");
});

test("an agent that is killed in a run is started again and knows what was said before", async () => {
  const kill = { toolCalls: [{ name: "bash", arguments: { command: "kill -9 $PPID; sleep 10" } }] };
  await using client = await startAgent([{ text: "Hello Anna." }, kill, { text: "Unused." }], {
    restart: "on-crash",
    restartDelayMs: 1,
  });
  await client.promptAndWait("I am Anna.");
  const { sessionFile } = await client.getState();
  expect(await errorOf(client.promptAndWait("Die"))).toMatchObject({ code: "exited", signal: "SIGKILL" });
  const state = await client.getState();
  expect(state.sessionFile).toBe(sessionFile);
  const messages = await client.getMessages();
  expect(messages.slice(0, 3)).toMatchObject([
    { role: "user", content: "I am Anna." },
    { role: "assistant", content: [{ type: "text", text: "Hello Anna." }] },
    { role: "user", content: "Die" },
  ]);
});

test("agents of a pool work on sessions of their own, and on one after another", async () => {
  const options = scripted([{ text: "Hello." }]);
  await using pool = createPool({ ...options, size: 2 });
  const work = async (name: string, session?: string) =>
    await pool.use(
      async (client) => {
        await client.promptAndWait(`I am ${name}.`);
        return { session: (await client.getState()).sessionFile ?? "", messages: await client.getMessages() };
      },
      session === undefined ? {} : { session },
    );
  const [anna, ben] = await Promise.all([work("Anna"), work("Ben"), work("Cid")]);
  expect(anna.session).not.toBe(ben.session);
  const again = await work("Anna again", anna.session);
  expect(again.session).toBe(anna.session);
  expect(again.messages.flatMap((message) => (message.role === "user" ? [message.content] : []))).toEqual([
    "I am Anna.",
    "I am Anna again.",
  ]);
});
