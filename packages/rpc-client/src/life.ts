import type { Signal } from "./abort-signal.ts";
import type { Connection, ConnectionHandlers } from "./connection.ts";
import type { AgentProcessError } from "./errors.ts";
import type { HostModel, HostTool } from "./protocol-types.ts";
import type { Resumption } from "./resumption.ts";

export interface LifeHandlers extends Omit<ConnectionHandlers, "onClose"> {
  /** Called when a connection was made; the agent is not ready yet. */
  onConnection: (connection: Connection) => void;
  /** Called when the agent is gone. With restarts, `onRestart` follows after a crash. */
  onClose: (reason: AgentProcessError) => void;
  /** Called when the agent was started again after `crash` and is ready. */
  onRestart: (crash: AgentProcessError) => void;
  /** Returns the models to register with a new agent. */
  models: () => HostModel[];
  /** Returns the tools to register with a new agent. */
  tools: () => HostTool[];
}

/** Starts and ends what a client speaks to: an agent process, or the connection to a session of a server. */
export interface Life {
  /** The connection for commands; undefined while the agent starts again. */
  readonly connection: Connection | undefined;
  /** Whether an agent is running, starting, or starting again. */
  readonly isStarted: boolean;
  /** The reason why the agent has ended for good; undefined while it runs or starts again. */
  readonly closedBy: AgentProcessError | undefined;
  readonly resumption: Resumption;
  /** Whether a later start must know the session that a command has changed to. */
  readonly followsMoves: boolean;
  /** Whether other clients work with the same session. Questions without a handler are then left to them. */
  readonly isShared: boolean;
  /** Ids never repeat, so that a late response cannot be matched with another request. */
  nextId(): string;
  /** @throws {AgentProcessError} When the agent cannot be started. */
  start(signal: Signal | undefined): Promise<void>;
  /** Resolves when the agent is gone. */
  stop(): Promise<void>;
  /** Waits while the agent starts again. @throws {AgentProcessError} When no agent is running or starting again. */
  ready(command: string): Promise<Connection>;
}
