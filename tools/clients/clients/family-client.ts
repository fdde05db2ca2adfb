import { deepEqual, equal, match, ok, rejects } from "node:assert/strict";
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Checks, type ClientResult } from "../../lib/report.ts";
import { cliPath, folderOf, versionOf, type Workspace, withWorkspace } from "../lib/workspace.ts";

interface FamilyEvent {
  type: string;
  assistantMessageEvent?: { type: string; delta?: string };
  message?: { role: string; content: unknown };
  steering?: string[];
  reason?: string;
  delta?: string;
}

interface FamilyState {
  model?: { id: string; provider: string } | null;
  thinkingLevel: string;
  isStreaming: boolean;
  steeringMode: string;
  followUpMode: string;
  sessionFile?: string | null;
  sessionId: string;
  sessionName?: string | null;
  autoCompactionEnabled: boolean;
  messageCount: number;
  pendingMessageCount: number;
}

/** The client of the family, as its declarations describe it. The last five methods are those of the newer version. */
interface FamilyClient {
  start(): Promise<void>;
  stop(): Promise<void>;
  onEvent(listener: (event: FamilyEvent) => void): () => void;
  prompt(message: string): Promise<void>;
  promptAndWait(message: string, images?: undefined, timeout?: number): Promise<FamilyEvent[]>;
  waitForIdle(timeout?: number): Promise<void>;
  steer(message: string): Promise<void>;
  followUp(message: string): Promise<void>;
  abort(): Promise<void>;
  newSession(): Promise<{ cancelled: boolean }>;
  getState(): Promise<FamilyState>;
  setModel(provider: string, modelId: string): Promise<{ provider: string; id: string }>;
  cycleModel(): Promise<{ model: { id: string } } | null>;
  getAvailableModels(): Promise<{ id: string; contextWindow: number; reasoning: boolean }[]>;
  setThinkingLevel(level: string): Promise<void>;
  cycleThinkingLevel(): Promise<{ level: string } | null>;
  setSteeringMode(mode: string): Promise<void>;
  setFollowUpMode(mode: string): Promise<void>;
  compact(instructions?: string): Promise<{ summary: string; tokensBefore: number; firstKeptEntryId: string }>;
  setAutoCompaction(enabled: boolean): Promise<void>;
  setAutoRetry(enabled: boolean): Promise<void>;
  abortRetry(): Promise<void>;
  bash(command: string): Promise<{ output: string; exitCode?: number; cancelled: boolean; truncated: boolean }>;
  abortBash(): Promise<void>;
  getSessionStats(): Promise<{ userMessages: number; tokens: { total: number }; cost: number }>;
  exportHtml(path?: string): Promise<{ path: string }>;
  switchSession(path: string): Promise<{ cancelled: boolean }>;
  fork(entryId: string): Promise<{ text: string; cancelled: boolean }>;
  clone(): Promise<{ cancelled: boolean }>;
  getForkMessages(): Promise<{ entryId: string; text: string }[]>;
  getLastAssistantText(): Promise<string | null | undefined>;
  setSessionName(name: string): Promise<void>;
  getMessages(): Promise<{ role: string }[]>;
  getCommands(): Promise<{ name: string; source: string; sourceInfo: { path: string; scope: string; origin: string } }[]>;
  clearQueue?(): Promise<{ steering: string[]; followUp: string[] }>;
  getAvailableThinkingLevels?(): Promise<string[]>;
  getEntries?(since?: string): Promise<{ entries: { id: string; type: string }[]; leafId: string | null }>;
  getTree?(): Promise<{ tree: { entry: { id: string }; children: unknown[] }[]; leafId: string | null }>;
}

type ClientClass = new (options: { cliPath: string; cwd: string; env: Record<string, string>; args: string[] }) => FamilyClient;

/** A call that ends when the file `go` is there. */
const waiting = { toolCalls: [{ name: "bash", arguments: { command: "until [ -e go ]; do sleep 0.02; done" } }] };

/** Milliseconds for a run of a scripted model. */
const runMs = 60_000;

/** Uses every method of the family's own `RpcClient`. */
export async function checkFamilyClient(packageName: string): Promise<ClientResult> {
  const about = "every method: prompts, queues, models, levels, shell commands, compaction, sessions, forks, export, end";
  const checks = new Checks(`RpcClient of ${packageName}`, await versionOf(packageName), about);
  const path = join(folderOf(packageName), "dist/modes/rpc/rpc-client.js");
  const { RpcClient } = (await import(pathToFileURL(path).href)) as { RpcClient: ClientClass };
  await withWorkspace(async (workspace) => {
    await writeConfiguration(workspace);
    const use = (args: string[], act: (client: FamilyClient, events: FamilyEvent[]) => Promise<void>) =>
      useClient(RpcClient, workspace, args, act);
    await checkConversations(checks, workspace, use);
    await checkQueues(checks, workspace, use);
    await checkModels(checks, workspace, use);
    await checkSessions(checks, workspace, use);
  });
  return checks.result;
}

type Use = (args: string[], act: (client: FamilyClient, events: FamilyEvent[]) => Promise<void>) => Promise<void>;

/** Two models of a server that nobody asks, and a prompt template. */
async function writeConfiguration(workspace: Workspace): Promise<void> {
  const models = ["small", "large"].map((id) => ({ id, name: id, reasoning: true, contextWindow: 64_000, maxTokens: 8000 }));
  const local = { baseUrl: "http://127.0.0.1:9", api: "openai-completions", apiKey: "none", models };
  await workspace.write("home/.pi/agent/models.json", JSON.stringify({ providers: { local } }));
  await workspace.write("home/.pi/agent/prompts/review.md", "---\ndescription: Reviews a file\n---\nReview $1.\n");
}

async function useClient(
  RpcClient: ClientClass,
  { cwd, env }: Workspace,
  args: string[],
  act: (client: FamilyClient, events: FamilyEvent[]) => Promise<void>,
): Promise<void> {
  const client = new RpcClient({ cliPath, cwd, env, args });
  const events: FamilyEvent[] = [];
  await client.start();
  client.onEvent((event) => events.push(event));
  try {
    await act(client, events);
  } finally {
    await client.stop();
  }
}

async function checkConversations(checks: Checks, workspace: Workspace, use: Use): Promise<void> {
  const answers = [{ text: "Hello there, friend.", deltas: 3 }, { text: "Again." }, { text: "A summary." }];
  await use(["--model", await workspace.script(...answers)], async (client, events) => {
    await checks.check("start, and the state before a prompt", async () => {
      const state = await client.getState();
      equal(typeof state.sessionId, "string");
      equal(state.sessionName, undefined);
      ok(!("sessionName" in state), "sessionName is there without a name");
      equal(state.isStreaming, false);
      equal(state.messageCount, 0);
      equal((await client.getLastAssistantText()) ?? null, null);
    });
    await checks.check("promptAndWait has the events of the answer", async () => {
      const run = await client.promptAndWait("Hi", undefined, runMs);
      const types = run.map(({ type }) => type);
      for (const type of ["agent_start", "message_start", "message_update", "message_end", "turn_end", "agent_end"])
        ok(types.includes(type), type);
      const deltas = run.flatMap(({ assistantMessageEvent: step }) => (step?.type === "text_delta" ? [step.delta] : []));
      equal(deltas.join(""), "Hello there, friend.");
    });
    await checks.check("the text, the messages and the counts of the session", async () => {
      equal(await client.getLastAssistantText(), "Hello there, friend.");
      deepEqual(
        (await client.getMessages()).map(({ role }) => role),
        ["user", "assistant"],
      );
      const { userMessages, tokens } = await client.getSessionStats();
      equal(userMessages, 1);
      ok(tokens.total > 0);
    });
    await checks.check("prompt and waitForIdle", async () => {
      const idle = client.waitForIdle(runMs);
      await client.prompt("Once more");
      await idle;
      equal(await client.getLastAssistantText(), "Again.");
    });
    await checks.check("bash: its output, and its end by abortBash", async () => {
      const { output, exitCode, cancelled } = await client.bash("echo out; exit 3");
      deepEqual({ output, exitCode, cancelled }, { output: "out\n", exitCode: 3, cancelled: false });
      const slow = client.bash("sleep 60");
      await client.abortBash();
      equal((await slow).cancelled, true);
    });
    await checks.check("compact, with the events that it causes", async () => {
      const { summary, firstKeptEntryId, tokensBefore } = await client.compact("Be brief");
      match(summary, /A summary\./);
      ok(firstKeptEntryId !== "" && tokensBefore > 0);
      const told = events.flatMap(({ type, reason }) => (type.startsWith("compaction_") ? [`${type} ${reason}`] : []));
      deepEqual(told, ["compaction_start manual", "compaction_end manual"]);
    });
    await checks.check("switches of compaction and retries", async () => {
      await client.setAutoCompaction(false);
      equal((await client.getState()).autoCompactionEnabled, false);
      await client.setAutoRetry(false);
      await client.abortRetry();
    });
  });
}

async function checkQueues(checks: Checks, workspace: Workspace, use: Use): Promise<void> {
  const script = await workspace.script(waiting, { text: "Steered." }, { text: "Followed." }, waiting);
  await use(["--model", script], async (client, events) => {
    const begun = () =>
      new Promise<void>((resolve) => {
        const stop = client.onEvent(({ type }) => {
          if (type !== "tool_execution_start") return;
          stop();
          resolve();
        });
      });
    await checks.check("steer and followUp during a run", async () => {
      const [called, idle] = [begun(), client.waitForIdle(runMs)];
      await client.prompt("Look");
      await called;
      await client.steer("This way");
      await client.followUp("And then this");
      equal((await client.getState()).pendingMessageCount, 2);
      await workspace.write("work/go", "");
      await idle;
      equal(await client.getLastAssistantText(), "Followed.");
      ok(events.some(({ type, steering }) => type === "queue_update" && steering?.[0] === "This way"));
    });
    await checks.check("modes of the queues", async () => {
      await client.setSteeringMode("all");
      await client.setFollowUpMode("all");
      const { steeringMode, followUpMode } = await client.getState();
      deepEqual([steeringMode, followUpMode], ["all", "all"]);
    });
    const { clearQueue } = client;
    if (clearQueue) {
      await checks.check("clearQueue returns the removed texts", async () => {
        await client.steer("Later");
        deepEqual(await clearQueue.call(client), { steering: ["Later"], followUp: [] });
      });
    }
    await checks.check("abort ends a run", async () => {
      await rm(join(workspace.cwd, "go"));
      const called = begun();
      const idle = client.waitForIdle(runMs);
      await client.prompt("Wait");
      await called;
      await client.abort();
      await idle;
      equal((await client.getState()).isStreaming, false);
    });
  });
}

async function checkModels(checks: Checks, workspace: Workspace, use: Use): Promise<void> {
  await use(["--model", "local/small", "--no-session"], async (client) => {
    await checks.check("models: the list, setModel, cycleModel, an unknown one", async () => {
      const ids = (await client.getAvailableModels()).map(({ id }) => id);
      ok(ids.includes("small") && ids.includes("large"));
      deepEqual((await client.setModel("local", "large")).id, "large");
      equal((await client.getState()).model?.id, "large");
      equal((await client.cycleModel())?.model.id, "small");
      await rejects(client.setModel("nowhere", "huge"), /Model not found: nowhere\/huge/);
    });
    await checks.check("thinking levels: set, cycle, and the highest one", async () => {
      await client.setThinkingLevel("high");
      equal((await client.getState()).thinkingLevel, "high");
      ok(typeof (await client.cycleThinkingLevel())?.level === "string");
      await client.setThinkingLevel("max");
      ok(["high", "xhigh", "max"].includes((await client.getState()).thinkingLevel));
      const { getAvailableThinkingLevels } = client;
      if (getAvailableThinkingLevels) ok((await getAvailableThinkingLevels.call(client)).includes("high"));
    });
    await checks.check("commands have their source", async () => {
      const [command, ...others] = await client.getCommands();
      deepEqual(others, []);
      const path = join(workspace.agentDir, "prompts/review.md");
      equal(command?.name, "review");
      equal(command?.source, "prompt");
      deepEqual(command?.sourceInfo, { path, source: "auto", scope: "user", origin: "top-level" });
    });
    await checks.check("a session that is not stored has no file", async () => {
      ok(!("sessionFile" in (await client.getState())));
    });
  });
}

async function checkSessions(checks: Checks, workspace: Workspace, use: Use): Promise<void> {
  const texts = ["One.", "Two.", "Three.", "Four."];
  await use(["--model", await workspace.script(...texts.map((text) => ({ text })))], async (client) => {
    await client.promptAndWait("First", undefined, runMs);
    await client.promptAndWait("Second", undefined, runMs);
    const first = (await client.getState()).sessionFile ?? "";
    await checks.check("a name, and its place in the state", async () => {
      await client.setSessionName("my work");
      equal((await client.getState()).sessionName, "my work");
    });
    const { getEntries, getTree } = client;
    if (getEntries && getTree) {
      await checks.check("entries, those after one of them, and the tree", async () => {
        const { entries, leafId } = await getEntries.call(client);
        equal(entries.at(-1)?.id, leafId);
        deepEqual((await getEntries.call(client, entries.at(-2)?.id)).entries, entries.slice(-1));
        equal((await getTree.call(client)).tree[0]?.entry.id, entries[0]?.id);
      });
    }
    await checks.check("exportHtml writes a page", async () => {
      const { path } = await client.exportHtml(join(workspace.root, "page.html"));
      match(await readFile(path, "utf8"), /<html/i);
    });
    await checks.check("fork from a message, and clone", async () => {
      const messages = await client.getForkMessages();
      deepEqual(
        messages.map(({ text }) => text),
        ["First", "Second"],
      );
      deepEqual(await client.fork(messages[1]?.entryId ?? ""), { text: "Second", cancelled: false });
      equal((await client.getState()).messageCount, 2);
      deepEqual(await client.clone(), { cancelled: false });
      ok((await client.getState()).sessionFile !== first);
    });
    await checks.check("newSession, and switchSession back", async () => {
      deepEqual(await client.newSession(), { cancelled: false });
      equal((await client.getState()).messageCount, 0);
      deepEqual(await client.switchSession(first), { cancelled: false });
      equal((await client.getState()).messageCount, 4);
      await rejects(client.switchSession("/nowhere/at/all.jsonl"));
    });
    await checks.check("stop ends the process, and the file is complete", async () => {
      await client.stop();
      const lines = (await readFile(first, "utf8")).trimEnd().split("\n");
      for (const line of lines) JSON.parse(line);
      equal(JSON.parse(lines[0] ?? "").type, "session");
    });
  });
}
