// Streams answers in a session with one subscriber, in a process that heap-watch.ts watches, and tells of each on stdout when it is over;
// the next one begins with a line of stdin. Argument: the address of a server that speaks Anthropic's wire.
import { createInterface } from "node:readline";
import { createAgentSession } from "@pikit/coding-agent";

const [baseUrl = ""] = process.argv.slice(2);
const limits = { contextWindow: 1e9, maxTokens: 1000, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } };
const names = { id: "m", name: "m", provider: "local", api: "anthropic-messages" };
const model = { ...names, ...limits, baseUrl, reasoning: false, input: ["text" as const] };
const session = await createAgentSession({ agentDir: process.cwd(), session: "memory", model });
let deltas = 0;
session.subscribe((event) => {
  if (event.type === "message_update" && event.assistantMessageEvent.type === "text_delta") deltas += 1;
});
for await (const _line of createInterface(process.stdin)) {
  deltas = 0;
  await session.prompt("Go");
  process.stdout.write(`${deltas}\n`);
}
