// Creates sessions, has each answer once, and disposes of it, one after the other; writes how much is in memory on the way, as JSON. Started
// with --expose-gc by many-sessions.test.ts. Arguments: where sessions are kept, working folder, agent folder, number of sessions.
import { createScriptedModel } from "@pikit/ai";
import { createAgentSession } from "@pikit/coding-agent";
import { collect } from "./collect.ts";

const [place = "", cwd = "", agentDir = "", count = "0"] = process.argv.slice(2);
const samples = 8;
const heap: number[] = [];

async function useSession(): Promise<void> {
  const model = createScriptedModel({
    script: [{ toolCalls: [{ name: "bash", arguments: { command: "echo hello" } }] }, { text: "Done." }],
  });
  const session = await createAgentSession({ cwd, agentDir, model, session: place === "memory" ? "memory" : "new" });
  session.subscribe(() => undefined);
  await session.prompt("Hello");
  if (session.lastAssistantText() !== "Done.") throw new Error(JSON.stringify(session.messages.at(-1)));
  await session.dispose();
}

// As many again come first: what they compile is no leak.
for (let n = 1; n <= 2 * Number(count); n += 1) {
  await useSession();
  if (n <= Number(count) || n % Math.floor(Number(count) / samples) !== 0) continue;
  heap.push(await collect(3));
}
process.stdout.write(JSON.stringify(heap));
