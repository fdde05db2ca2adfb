import type { StreamMode } from "../../protocol/data.ts";
import type { BashUpdate } from "../../protocol/frames.ts";
import type { AgentSessionEvent } from "../../session/events.ts";

/** A client that sends commands. */
export interface RpcPeer {
  /** How answers are streamed to it. A change takes effect with the next answer. */
  mode: StreamMode;
  /** Names the client, which may come back with another connection. Default: it does not. */
  readonly clientId?: string | undefined;
  /** Sends a response, or an error about something that it sent. */
  send(record: object): void;
}

/** The output for everything that concerns all clients of a session. */
export interface RpcOutput {
  sendEvent(event: AgentSessionEvent): void;
  /** Sends a question to the user, a call of a host tool, or another frame. It must not change afterwards. */
  send(frame: object): void;
  sendBashUpdate(update: BashUpdate): void;
  /** Called with the frame that tells other clients that a question was answered. Not needed by an output with one client. */
  sendAnswered?(frame: object): void;
}
