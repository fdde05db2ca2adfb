// A program with the library: a session in memory, one prompt.
import { createAgentSession, defineTool, Type } from "@pikit/coding-agent";

const lamps = defineTool({
  name: "lamps",
  description: "Counts lamps.",
  parameters: Type.Object({ place: Type.String() }),
  execute: async (_id, { place }) => ({ content: [{ type: "text", text: `Two lamps in ${place}.` }], details: null }),
});
const session = await createAgentSession({ model: process.argv[2], session: "memory", customTools: [lamps] });
session.subscribe((event) => {
  if (event.type === "tool_execution_end") console.log(event.result.content[0].text.trim());
});
await session.prompt("How many?");
console.log(session.lastAssistantText());
await session.dispose();
