// Plays one long conversation through compactions in this process and writes what it came to, as JSON. Started with --expose-gc by
// long-session.test.ts. Arguments: folder to work in, agent folder, number of prompts.
import type { AgentMessage, AgentTool } from "@pikit/agent";
import { createScriptedModel, type ScriptedAnswer } from "@pikit/ai";
import { createAgentSession } from "@pikit/coding-agent";
import { Type } from "@sinclair/typebox";

export interface LongSessionReport {
  sessionFile: string;
  compactions: number;
  /** Times that the provider was asked for more than its window holds. */
  overflows: number;
  /** Most messages in the context, and most characters. */
  mostMessages: number;
  mostCharacters: number;
  /** Bytes in use after a garbage collection, at even distances. */
  heap: number[];
  /** Prompts whose last answer is not the one that was planned, and compactions that failed. */
  surprises: string[];
  /** The messages of the context at the end. */
  context: readonly AgentMessage[];
}

const [cwd = "", agentDir = "", count = "0"] = process.argv.slice(2);
const prompts = Number(count);
const report: Omit<LongSessionReport, "sessionFile" | "context"> = {
  compactions: 0,
  overflows: 0,
  mostMessages: 0,
  mostCharacters: 0,
  heap: [],
  surprises: [],
};

const contextWindow = 32_000;
let prompt = 0;
let callsLeft = 0;

/** The same for every run: one multiplication after another. */
let seed = 6;
function random(below: number): number {
  seed = (seed * 48_271) % 2_147_483_647;
  return seed % below;
}

const model = createScriptedModel({
  script: ({ messages, systemPrompt = "" }): ScriptedAnswer => {
    const characters = JSON.stringify(messages).length;
    if (characters / 4 > contextWindow) {
      report.overflows += 1;
      return { error: { status: 400, message: `prompt is too long: ${characters} tokens > ${contextWindow} maximum` } };
    }
    if (systemPrompt.startsWith("You write the memory")) {
      return { text: `Summary of what led to prompt ${prompt}. ${"fact ".repeat(200)}` };
    }
    report.mostMessages = Math.max(report.mostMessages, messages.length);
    report.mostCharacters = Math.max(report.mostCharacters, characters);
    if (callsLeft === 0) return { text: `Answer ${prompt}` };
    callsLeft -= 1;
    return { text: "Looking.", toolCalls: [{ name: "read", arguments: { path: `src/file-${random(40)}.ts` } }] };
  },
  overrides: { contextWindow },
});

const read: AgentTool = {
  name: "read",
  label: "Read",
  description: "Reads a file.",
  parameters: Type.Object({ path: Type.String() }),
  // Each call gives new text, so that what is kept is seen.
  execute: async (id) => ({ content: [{ type: "text", text: `${id} `.repeat(20 + random(300)) }], details: null }),
};

const session = await createAgentSession({ cwd, agentDir, model, tools: [], customTools: [read] });
session.subscribe((event) => {
  if (event.type !== "auto_compaction_end") return;
  if (event.result) report.compactions += 1;
  else report.surprises.push(`a compaction at prompt ${prompt} ended with ${event.errorMessage}`);
});
for (prompt = 1; prompt <= prompts; prompt += 1) {
  callsLeft = random(4);
  await session.prompt(`Prompt ${prompt}`);
  const text = session.lastAssistantText();
  if (text !== `Answer ${prompt}`) report.surprises.push(`prompt ${prompt} ended with ${text}`);
  if (prompt % Math.ceil(prompts / 20) === 0) {
    globalThis.gc?.();
    report.heap.push(process.memoryUsage().heapUsed);
  }
}
const result: LongSessionReport = { ...report, sessionFile: session.sessionFile ?? "", context: session.messages };
await session.dispose();
process.stdout.write(JSON.stringify(result));
