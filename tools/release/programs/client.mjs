// A program with the client, which finds the installed command by itself.
import { RpcClient } from "@pikit/rpc-client";

const client = new RpcClient({ model: process.argv[2], noSession: true });
await client.start();
await client.setTools([
  {
    name: "lamps",
    description: "Counts lamps.",
    parameters: { type: "object", properties: { place: { type: "string" } } },
    execute: ({ place }) => `Two lamps in ${place}.`,
  },
]);
client.onEvent("tool_execution_end", ({ result }) => console.log(result.content[0].text.trim()));
console.log((await client.promptAndWait("How many?")).at(-1).content[0].text);
await client.stop();
