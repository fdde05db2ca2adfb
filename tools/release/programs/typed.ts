import { Agent } from "@pikit/agent";
import { stream } from "@pikit/ai";
import { type AgentSession, createAgentSession, defineTool, type ExtensionApi, Type } from "@pikit/coding-agent";
import { commands } from "@pikit/coding-agent/protocol";
import { sessionStoreTests } from "@pikit/coding-agent/session-store-tests";
import { instrumentSession } from "@pikit/otel";
import { PostgresSessionStore } from "@pikit/postgres";
import { type ClientTool, RpcClient } from "@pikit/rpc-client";

const content = (text: string) => ({ content: [{ type: "text" as const, text }], details: null });
const lamps = defineTool({
  ...{ name: "lamps", description: "Counts lamps." },
  parameters: Type.Object({ place: Type.String() }),
  execute: async (_id, { place }) => content(place),
});
const wrong = defineTool({
  ...{ name: "wrong", description: "Does not compile." },
  parameters: Type.Object({ place: Type.String() }),
  // @ts-expect-error: the schema has no town
  execute: async (_id, { town }) => content(town),
});
export const open = (): Promise<AgentSession> => createAgentSession({ model: "demo/tour", customTools: [lamps, wrong] });
export default (pi: ExtensionApi): void => pi.registerTool(lamps);
export const tool: ClientTool<{ place: string }> = {
  ...{ name: "lamps", description: "Counts lamps.", parameters: { type: "object" } },
  execute: ({ place }) => place,
};
export async function first(client: RpcClient): Promise<string | undefined> {
  for await (const { type } of client.events()) return type;
  return undefined;
}
export const used = [stream, Agent, commands, sessionStoreTests, RpcClient, PostgresSessionStore, instrumentSession];
