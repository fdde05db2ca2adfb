import { AgentProcessError, RpcCommandError } from "./errors.ts";
import type { CommandData, CommandName, CommandParams, SessionState, StreamMode } from "./protocol-types.ts";
import type { FirstCommand } from "./resumption.ts";

/** The version of the protocol that this client speaks. */
export const protocolVersion = 1;

export interface HandshakeOptions {
  streamMode: StreamMode;
  /** Settings of an earlier life; one that is refused is left as it is. */
  settings: readonly FirstCommand[];
  /** What is refused fails the start. */
  tools: CommandParams<"set_host_tools">["tools"];
}

/** A promise of its own each time: what waits for one that is kept would be kept with it. */
const never = () => new Promise<never>(() => undefined);

/** Sends a command and waits for its answer. */
export type Ask = (command: CommandName, params: object) => Promise<unknown>;

/**
 * Gets the first answer of a new process, agrees with it on how it streams, and tells it what it has to know before anybody else talks
 * to it. All questions are sent at once, `get_state` last: an older agent refuses the first ones, or drops them, and then
 * its answer to `get_state` shows that it is there. It streams snapshots.
 *
 * @returns its state.
 * @throws {AgentProcessError} `wrong_version` when it speaks another version of the protocol.
 * @throws {RpcError} When it does not answer, or refuses to tell its state.
 */
export async function shakeHands(ask: Ask, { streamMode, settings, tools }: HandshakeOptions): Promise<Partial<SessionState>> {
  // Refused by an older agent, or never answered; that one is there all the same when its answer to get_state comes.
  const wrongVersion = ask("get_protocol_info", {}).then(checkVersion, never);
  if (streamMode === "deltas") ask("set_stream_mode", { mode: "deltas" }).catch(() => undefined);
  const state = ((await Promise.race([ask("get_state", {}), wrongVersion])) ?? {}) as Partial<SessionState>;
  await Promise.all([
    ...settings.map(({ command, params }) => ask(command, params).catch(ignoreRefusal)),
    ...(tools.length > 0 ? [ask("set_host_tools", { tools })] : []),
  ]);
  return state;
}

/** Rejects for another version; else it leaves the decision to others. */
function checkVersion(info: unknown): Promise<never> {
  const { protocolVersion: version, version: release } = (info ?? {}) as Partial<CommandData<"get_protocol_info">>;
  if (version === undefined || version === protocolVersion) return never();
  const text = `The agent (pi ${release}) speaks version ${version} of the protocol, but this client speaks version ${protocolVersion}; install versions of both that match.`;
  throw new AgentProcessError("wrong_version", text);
}

/** The agent is there and works without the setting, such as a model whose key is gone. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof RpcCommandError)) throw error;
}
