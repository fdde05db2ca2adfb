// Run by first-prompt.ts without its types: loads an SDK, sends a request through it, and prints the first delta. What nobody can do without.
import { readFileSync } from "node:fs";
import { enableCompileCache } from "node:module";

interface Event {
  type?: string;
  choices?: { delta: { content?: string } }[];
}
type Create = (body: object) => Promise<AsyncIterable<Event>>;
interface Client {
  messages?: { create: Create };
  chat?: { completions: { create: Create } };
}

enableCompileCache();
const [sdk = "", baseURL, bodyFile = ""] = process.argv.slice(2);
const { default: Sdk } = (await import(sdk)) as { default: new (options: object) => Client };
const client = new Sdk({ baseURL, apiKey: "not-a-key", maxRetries: 0 });
const endpoint = client.messages ?? client.chat?.completions;
const events = await endpoint?.create(JSON.parse(readFileSync(bodyFile, "utf8")));
for await (const { type, choices } of events ?? []) {
  if (type !== "content_block_delta" && !choices?.[0]?.delta.content) continue;
  console.log('{"type":"text_delta"}');
  break;
}
// Until then its CPU time can be read.
process.stdin.resume();
