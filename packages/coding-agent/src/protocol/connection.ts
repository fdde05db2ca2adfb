/** Frames that only connections to a server (`pi serve`) have, because they can be cut and made again. */
import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import { SessionStateSchema } from "./data.ts";
import { events } from "./events.ts";
import { literals } from "./literals.ts";
import { AssistantMessageSchema } from "./messages.ts";

const position = {
  epoch: Type.String({ description: "Names one life of the session in the memory of the server." }),
  seq: Type.Integer({ minimum: 0, description: "The number of a frame in its epoch; the first one has 1." }),
};

/** The first frame of a connection: the frames after `seq` follow. */
export const ConnectionReadySchema = Type.Object({
  type: Type.Literal("ready"),
  protocolVersion: Type.Literal(1),
  version: Type.String({ description: "Of pi." }),
  sessionId: Type.String({ description: "Another one than in the address, after the session has moved." }),
  ...position,
});
export type ConnectionReady = Static<typeof ConnectionReadySchema>;

/**
 * Replaces frames that the connection did not get. The frames after `seq` follow.
 *
 * - `start`: the client named no position
 * - `epoch`: the position that it named is of another epoch
 * - `overrun`: the frames after its position are no longer held
 */
export const ResyncSchema = Type.Object({
  type: Type.Literal("resync"),
  reason: literals(["start", "epoch", "overrun"]),
  ...position,
  state: SessionStateSchema,
  /** The answer that is being streamed, complete so far. */
  message: Type.Optional(AssistantMessageSchema),
  running: Type.Array(Type.Union([events.tool_execution_start, events.tool_execution_update]), {
    description: "For each tool call that runs: its start, and its latest update if there is one.",
  }),
});
export type Resync = Static<typeof ResyncSchema>;
