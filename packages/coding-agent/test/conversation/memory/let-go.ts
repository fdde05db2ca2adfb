// Fills sessions with large messages, does something with each that takes them from its context, and writes what is still in memory, as
// JSON. Started with --expose-gc by let-go.test.ts. Arguments: where sessions are kept, working folder, agent folder, characters of a session.
import { randomBytes } from "node:crypto";
import type { AgentMessage, AgentTool } from "@pikit/agent";
import { createScriptedModel, type ScriptedAnswer } from "@pikit/ai";
import { type AgentSession, createAgentSession } from "@pikit/coding-agent";
import { Type } from "@sinclair/typebox";
import { collect } from "./collect.ts";

export interface LetGoReport {
  /** What is in memory of what the session has told and is not in its context, by kind. Small messages are not counted. */
  strangers: Record<string, number>;
  /** Roles of the messages in the context. */
  context: Record<string, number>;
  /** Characters of the messages in the context, and of all that can be read of the session. */
  contextCharacters: number;
  storedCharacters: number;
  /** Bytes of heap and buffers beyond those of an empty session. */
  left: number;
}

const [place = "", cwd = "", agentDir = "", length = "0"] = process.argv.slice(2);
const callsPerPrompt = 4;
/** Few large ones: a script's model counts the characters of the whole context with each answer. */
const resultCount = 3 * callsPerPrompt;
let resultLength = 1000;
/** What the bytes of an image begin with. */
const pngSignature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
/** Milliseconds until what is not needed has to be gone: in memory it is packed first. */
const patienceMs = 200_000;

let watched: { kind: string; ref: WeakRef<object> }[] = [];
function watch(kind: string, value: object): void {
  watched.push({ kind, ref: new WeakRef(value) });
}

let results = 0;
const look: AgentTool = {
  name: "look",
  label: "Look",
  description: "Looks at something large.",
  parameters: Type.Object({}),
  async execute() {
    results += 1;
    // All of it new, so that nothing is shared.
    const text = `result ${results}\n`.repeat(resultLength / 2 / 10);
    const image = randomBytes((resultLength * 3) / 8).toString("base64");
    const result = {
      content: [
        { type: "text" as const, text },
        { type: "image" as const, data: image, mimeType: "image/png" },
      ],
      details: null,
    };
    watch("result of a tool", result);
    return result;
  },
};

let answers: ScriptedAnswer[] = [];
const calls: ScriptedAnswer[] = Array(callsPerPrompt).fill({ text: "Looking.", toolCalls: [{ name: "look" }] });
const model = createScriptedModel({
  script: ({ systemPrompt = "" }) =>
    systemPrompt.startsWith("You write the memory") ? { text: "What has been seen." } : (answers.shift() ?? { text: "Done." }),
  overrides: { contextWindow: 100_000_000 },
});
const common = { cwd, agentDir, model, tools: ["delegate" as const], customTools: [look] };

const steps: Readonly<Record<string, (session: AgentSession) => Promise<unknown>>> = {
  compact: (session) => session.compact(),
  newSession: (session) => session.history.startNew(),
  fork: async (session) => session.history.fork(await userEntry(session, 1)),
  branch: async (session) => session.history.branch(await userEntry(session, 1)),
  /** What the first compaction has let go of is in memory again, and let go of again. */
  async compactTwoBranches(session) {
    const entry = await userEntry(session, 2);
    await session.compact();
    await session.history.branch(entry);
    answers = [...calls];
    await session.prompt("On another branch.");
    await session.compact();
  },
  async delegate(session) {
    await session.history.startNew();
    answers = [{ toolCalls: [{ name: "delegate", arguments: { task: "Look." } }] }, ...calls];
    await session.prompt("Let somebody look.");
  },
  async queues(session) {
    const data = () => Buffer.concat([pngSignature, randomBytes(resultLength)]).toString("base64");
    const image = () => ({ type: "image" as const, data: data(), mimeType: "image/png" });
    await session.queue("steer", { text: "And this", images: [image()] });
    await session.queue("followUp", { text: "Then this", images: [image()] });
    await session.prompt("Go.");
    await session.queue("followUp", { text: "Never this", images: [image()] });
    await session.queues.clear();
    answers = [...calls];
    await session.prompt("Look again.");
    await session.compact();
  },
  async bash(session) {
    await session.shell.run("seq 10000");
    await session.prompt("See?");
    await session.history.startNew();
  },
  ...(place === "memory" ? {} : { switchSession }),
};

async function switchSession(session: AgentSession): Promise<void> {
  const other = await createAgentSession({ ...common, session: "new" });
  await other.prompt("Another session.");
  await other.dispose();
  await session.history.open(other.sessionFile as string);
}

async function userEntry(session: AgentSession, index: number): Promise<string> {
  const entry = (await session.history.branchPoints()).at(index);
  if (!entry) throw new Error(`There is no message ${index} of the user.`);
  return entry.entryId;
}

/** @param isWarmUp - Whether nobody reads the report: then nothing is collected, which is most of the work. */
async function measure(
  step: (session: AgentSession) => Promise<unknown>,
  { isWarmUp }: { isWarmUp: boolean },
): Promise<LetGoReport> {
  const collectNow = (rounds: number) => collect(isWarmUp ? 0 : rounds);
  watched = [];
  const session = await createAgentSession({ ...common, session: place === "memory" ? "memory" : "new" });
  session.subscribe((event) => {
    if (event.type === "message_end" && isLarge(event.message)) watch(event.message.role, event.message);
    else if (event.type === "turn_end") watch("turn_end", event.toolResults);
    else if (event.type === "agent_end") watch("agent_end", event.messages);
    else if (event.type === "tool_execution_end") watch("tool_execution_end", event);
  });
  const empty = await collectNow(3);
  for (let n = 0; n < resultCount; n += callsPerPrompt) {
    answers = [...calls];
    await session.prompt(`Prompt ${n}`);
  }
  await step(session);
  const deadline = performance.now() + (isWarmUp ? 0 : patienceMs);
  await collectNow(1);
  while (strangersTo(session).length > 0 && performance.now() < deadline) await collectNow(1);
  const left = await collectNow(2);
  const report = {
    strangers: countBy(strangersTo(session)),
    context: countBy(session.messages.map(({ role }) => role)),
    contextCharacters: JSON.stringify(session.messages).length,
    storedCharacters: await countStored(session),
    left: left - empty,
  };
  await session.dispose();
  return report;
}

function isLarge(message: AgentMessage): boolean {
  return (
    message.role === "toolResult" || message.role === "bashExecution" || (message.role === "user" && Array.isArray(message.content))
  );
}

function strangersTo(session: AgentSession): string[] {
  const context = new Set<object>(session.messages);
  return watched.flatMap(({ kind, ref }) => {
    const value = ref.deref();
    return value === undefined || context.has(value) ? [] : [kind];
  });
}

async function countStored(session: AgentSession): Promise<number> {
  const entries = await session.history.entries();
  return entries.reduce((sum, { type, ...entry }) => sum + (type === "message" ? JSON.stringify(entry).length : 0), 0);
}

function countBy(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

// With little text first: this loads and compiles everything that is loaded once.
for (const step of Object.values(steps)) await measure(step, { isWarmUp: true });
resultLength = Number(length) / resultCount;
const reports: Record<string, LetGoReport> = {};
for (const [name, step] of Object.entries(steps)) reports[name] = await measure(step, { isWarmUp: false });
process.stdout.write(JSON.stringify(reports));
