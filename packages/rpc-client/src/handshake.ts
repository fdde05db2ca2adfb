import { AgentProcessError, RpcCommandError } from "./errors.ts";
import type { CommandData, CommandName, CommandParams, SessionState, StreamMode } from "./protocol-types.ts";
import type { FirstCommand } from "./resumption.ts";

/** The protocol version of this client. */
export const protocolVersion = 1;

export interface HandshakeOptions {
  streamMode: StreamMode;
  /** Settings of the previous process. A refused setting is ignored. */
  settings: readonly FirstCommand[];
  /** If the agent refuses these or the tools, the start fails. They come before the settings, one of which may name them. */
  models: CommandParams<"set_host_models">["models"];
  tools: CommandParams<"set_host_tools">["tools"];
}

/** Creates a new promise each time, because a shared one would keep its handlers in memory. */
const never = () => new Promise<never>(() => undefined);

/** Sends a command and waits for its response. */
export type Ask = (command: CommandName, params: object) => Promise<unknown>;

/**
 * Waits for the first response of a new process, negotiates the stream mode, and sends the settings and tools before any other command. All
 * commands are sent at once, `get_state` last: an older agent refuses or ignores the first two, but its response to `get_state` shows
 * that it is ready. Such an agent streams snapshots.
 *
 * @returns The state of the session.
 * @throws {AgentProcessError} `wrong_version` when the agent has another version of the protocol.
 * @throws {RpcError} When the agent does not respond, or refuses `get_state`.
 */
export async function shakeHands(
  ask: Ask,
  { streamMode, settings, models, tools }: HandshakeOptions,
): Promise<Partial<SessionState>> {
  // An older agent refuses this command or ignores it. Then the response to get_state decides.
  const wrongVersion = ask("get_protocol_info", {}).then(checkVersion, never);
  if (streamMode === "deltas") ask("set_stream_mode", { mode: "deltas" }).catch(() => undefined);
  const state = ((await Promise.race([ask("get_state", {}), wrongVersion])) ?? {}) as Partial<SessionState>;
  await Promise.all([
    ...(models.length > 0 ? [ask("set_host_models", { models })] : []),
    ...settings.map(({ command, params }) => ask(command, params).catch(ignoreRefusal)),
    ...(tools.length > 0 ? [ask("set_host_tools", { tools })] : []),
  ]);
  return state;
}

/** Rejects for another version; otherwise never settles, so that `get_state` decides. */
function checkVersion(info: unknown): Promise<never> {
  const { protocolVersion: version, version: release } = (info ?? {}) as Partial<CommandData<"get_protocol_info">>;
  if (version === undefined || version === protocolVersion) return never();
  throw wrongVersion("agent", { version, release });
}

/** The error for an agent or a server with another version of the protocol. */
export function wrongVersion(who: string, { version, release }: { version: unknown; release: unknown }): AgentProcessError {
  const text = `The ${who} (pi ${release}) speaks version ${version} of the protocol, but this client speaks version ${protocolVersion}; install versions of both that match.`;
  return new AgentProcessError("wrong_version", text);
}

/** The agent works without a refused setting, such as a model whose key is missing now. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof RpcCommandError)) throw error;
}
