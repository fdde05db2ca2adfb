import type { CommandData, CommandParams } from "../../protocol/commands.ts";
import type { CommandName, commandDispatch } from "../../protocol/dispatch.ts";
import type { PromptRun } from "../../run/run-controller.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import type { HostModels } from "./host-models.ts";
import type { HostTools } from "./host-tools.ts";
import type { RpcOutput, RpcPeer } from "./peer.ts";

/** The context of a handler. */
export interface HandlerContext {
  session: AgentSession;
  /** The client that sent the command. */
  peer: RpcPeer;
  output: RpcOutput;
  /** Called with the run of an accepted prompt. */
  onAccepted(run: PromptRun): void;
  /** Loads the host tools. */
  hostTools(): Promise<HostTools>;
  /** Loads the host models. */
  hostModels(): Promise<HostModels>;
  /** For commands of the lane `started`: lets the next command start. */
  leaveLane(): void;
  /** The command record from the client. */
  request: Record<string, unknown>;
  /** Aborted by `abort` (for `bash`: by `abort_bash`) while the command waits or runs. */
  signal: AbortSignal;
}

/** Runs a command. A thrown error becomes the error of the response. */
export type Handler<N extends CommandName> = (
  context: HandlerContext,
  params: CommandParams<N>,
) => CommandData<N> | Promise<CommandData<N>>;

/** The commands with fields besides `type` and `id`. */
export type ParamCommandName = {
  [N in CommandName]: (typeof commandDispatch)[N]["hasParams"] extends true ? N : never;
}[CommandName];
