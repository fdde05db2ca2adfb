// Sends prompts to one session in this process and writes what is left over, as JSON. Started with --expose-gc by soak.test.ts.
// Arguments: working folder, agent folder, number of prompts.
import { createScriptedModel } from "@pikit/ai";
import type { AgentSession } from "@pikit/coding-agent";
import { createAgentSession } from "@pikit/coding-agent";
import { countBy, findProcesses, openFiles } from "./leftovers.ts";
import { promptsPerSession, type SoakPrompt, soakPrompts } from "./prompts.ts";

export interface SoakReport {
  /** Bytes in use after a garbage collection, at even distances. */
  heap: number[];
  /** Bytes resident at the same moments. */
  resident: number[];
  /** Prompts that did not end as planned. */
  surprises: string[];
  /** After the first conversation, which loads what is loaded once, and after the session has been disposed of. */
  before: Leftovers | undefined;
  after: Leftovers;
}

interface Leftovers {
  resources: Record<string, number>;
  files: Record<string, number>;
  listeners: Record<string, number>;
  processes: number;
}

const [cwd = "", agentDir = "", count = "0"] = process.argv.slice(2);
const prompts = soakPrompts(Number(count));
const samples = Math.min(20, prompts.length / promptsPerSession);
const report = { heap: [] as number[], resident: [] as number[], surprises: [] as string[] };

let before: Leftovers | undefined;
const session = await createAgentSession({
  cwd,
  agentDir,
  session: "memory",
  model: createScriptedModel({ script: prompts.flatMap(({ answers }) => answers) }),
});
for (const [index, prompt] of prompts.entries()) {
  if (index % promptsPerSession === 0) {
    await session.history.startNew();
    if (index === promptsPerSession) before = await leftovers();
    if (Math.floor((index * samples) / prompts.length) === report.heap.length) takeSample();
  }
  await send(session, prompt, index);
}
await session.history.startNew();
takeSample();
await session.dispose();
const after = await leftovers();
process.stdout.write(JSON.stringify({ ...report, before, after }));

async function send(target: AgentSession, { during, ending }: SoakPrompt, index: number): Promise<void> {
  let isDone = during === undefined;
  const unsubscribe = target.subscribe((event) => {
    const type = event.type === "message_update" ? event.assistantMessageEvent.type : event.type;
    if (isDone || type !== during?.event) return;
    isDone = true;
    if (during.act === "abort") void target.abort();
    else target.queue(during.act, { text: "And this" });
  });
  await target.prompt(`Prompt ${index}`);
  unsubscribe();
  const answer = target.messages.findLast(({ role }) => role === "assistant");
  const actual = answer?.role === "assistant" ? answer.stopReason : "none";
  if (actual !== ending || !isDone) report.surprises.push(`prompt ${index} ended with ${actual} instead of ${ending}`);
}

function takeSample(): void {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  report.heap.push(heapUsed);
  report.resident.push(rss);
}

async function leftovers(): Promise<Leftovers> {
  // What has just been closed is gone one turn of the event loop later.
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  const listeners = process.eventNames().flatMap((name) => Array<string>(process.listenerCount(name)).fill(String(name)));
  return {
    resources: countBy(process.getActiveResourcesInfo()),
    files: openFiles(process.pid),
    listeners: countBy(listeners),
    processes: findProcesses(process.pid, cwd).length,
  };
}
