import coding = require("@pikit/coding-agent");
import client = require("@pikit/rpc-client");

export const open = (): Promise<coding.AgentSession> => coding.createAgentSession({ model: "demo/tour" });
export const create = (): client.RpcClient => new client.RpcClient({ model: "demo/tour" });
