// Holds the messages of a session file in memory and writes how many bytes they take, as JSON. Started with --expose-gc by
// long-transcript.test.ts. Arguments: `parsed` for the bare messages, `open` for a session that has them; its file; the agent folder; the
// address of a provider, which answers 12 times and, for `open`, twice with all of them.
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import type { Model } from "@pikit/ai";
import { createAgentSession } from "@pikit/coding-agent";
import { collect } from "./collect.ts";

export interface HeldBytes {
  /** Heap and buffers with the messages, and after each of two answers. */
  held: number;
  answered: number[];
  /** How many there are. */
  messages: number;
}

const [what = "", path = "", agentDir = "", baseUrl = ""] = process.argv.slice(2);
const warmUpPrompts = 12;
const model: Model = {
  id: "large",
  name: "Large",
  api: "anthropic-messages",
  provider: "anthropic",
  baseUrl,
  reasoning: false,
  input: ["text"],
  contextWindow: 1_000_000_000,
  maxTokens: 1000,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};

function parse(): unknown[] {
  const entries = readFileSync(path, "utf8").split("\n").slice(1).filter(Boolean);
  return entries.map((line) => JSON.parse(line).message);
}

function open(session: "new" | { path: string }) {
  return createAgentSession({ session, cwd: dirname(path), agentDir, model, apiKey: "any", contextFiles: false });
}

// The first one loads what is loaded once, and has compiled what prompts need.
const first = await open("new");
for (let prompt = 1; prompt <= warmUpPrompts; prompt += 1) await first.prompt("Hello");
await first.dispose();
await (await open({ path: first.sessionFile as string })).dispose();
const before = await collect(4);
if (what === "parsed") {
  const messages = parse();
  const report: HeldBytes = { held: (await collect(4)) - before, answered: [], messages: messages.length };
  process.stdout.write(JSON.stringify(report));
} else {
  const session = await open({ path });
  const held = (await collect(4)) - before;
  const messages = session.messages.length;
  const answered: number[] = [];
  for (let prompt = 1; prompt <= 2; prompt += 1) {
    await session.prompt("And now?");
    if (session.lastAssistantText() !== "Nothing.") throw new Error(JSON.stringify(session.messages.at(-1)));
    answered.push((await collect(4)) - before);
  }
  const report: HeldBytes = { held, answered, messages };
  process.stdout.write(JSON.stringify(report));
  await session.dispose();
}
