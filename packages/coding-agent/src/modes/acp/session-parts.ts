import type { CreateAgentSessionOptions, EntryPointOptions } from "../../session/options.ts";
import type { AcpOutput } from "./acp-output.ts";
import type { JsonRpc } from "./json-rpc.ts";
import type { ClientCapabilities } from "./protocol.ts";

/** The options of all sessions; the editor gives the folder and further MCP servers. */
export type BaseOptions = Omit<CreateAgentSessionOptions, "cwd" | "session" | "user"> & EntryPointOptions & { agentDir: string };

/** The parts of the server that sessions use. */
export interface SessionParts {
  base: BaseOptions;
  rpc: JsonRpc;
  output: AcpOutput;
  /** The capabilities of the editor. */
  capabilities(): ClientCapabilities;
}
