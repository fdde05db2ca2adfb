import type { AgentEvent } from "@pikit/agent";
import type { ConnectionReady, Resync } from "../../protocol/connection.ts";
import type { SessionEvent } from "../../protocol/events.ts";
import type { BashUpdate, UiRequest, UiResponse } from "../../protocol/frames.ts";
import type { DeltaUpdate } from "../../protocol/stream-records.ts";

/** A question that is sent again has `again`. */
export type QuestionFrame = UiRequest & { again?: boolean };

/** The frames of a session that the page uses. */
export type Frame =
  | ConnectionReady
  | Resync
  | Exclude<AgentEvent, { type: "message_update" }>
  | SessionEvent
  | DeltaUpdate
  | QuestionFrame
  | UiResponse
  | BashUpdate;
