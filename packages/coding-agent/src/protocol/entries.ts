import type { Static, TProperties, TSchema } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import { AgentMessageSchema, ImageContentSchema, TextContentSchema, ThinkingLevelSchema, UsageSchema } from "./messages.ts";

/** The place of an entry in the tree. */
export const EntryPlaceSchema = Type.Object({
  id: Type.String({ description: "8 hex digits, unique in the session." }),
  parentId: Type.Union([Type.String(), Type.Null()], { description: "The previous entry on its branch; null for a root." }),
  timestamp: Type.String({ description: "ISO 8601." }),
});

function entry<const T extends string, P extends TProperties>(type: T, fields: P) {
  return Type.Object({ type: Type.Literal(type), ...fields });
}

const summary = {
  details: Type.Optional(Type.Unknown()),
  usage: Type.Optional(UsageSchema),
  fromHook: Type.Optional(Type.Boolean()),
};

/** The content of an entry, without its place in the tree. */
export const EntryContentSchema = Type.Union([
  entry("message", {
    message: AgentMessageSchema,
    queueId: Type.Optional(Type.String({ description: "The id of the message in its queue." })),
  }),
  entry("model_change", { provider: Type.String(), modelId: Type.String() }),
  entry("thinking_level_change", { thinkingLevel: ThinkingLevelSchema }),
  entry("compaction", { summary: Type.String(), firstKeptEntryId: Type.String(), tokensBefore: Type.Number(), ...summary }),
  entry("branch_summary", { fromId: Type.String(), summary: Type.String(), ...summary }),
  entry("custom", { customType: Type.String(), data: Type.Optional(Type.Unknown()) }),
  entry("custom_message", {
    customType: Type.String(),
    content: Type.Union([Type.String(), Type.Array(Type.Union([TextContentSchema, ImageContentSchema]))]),
    display: Type.Boolean(),
    details: Type.Optional(Type.Unknown()),
  }),
  entry("label", { targetId: Type.String(), label: Type.Optional(Type.String()) }),
  entry("session_info", { name: Type.Optional(Type.String()) }),
]);
export type EntryContent = Static<typeof EntryContentSchema>;

/** A line of a session after its header. Entry types of newer programs are kept, but have no effect. */
export const SessionEntrySchema = Type.Intersect([EntryPlaceSchema, EntryContentSchema]);
export type SessionEntry = Static<typeof SessionEntrySchema>;

/** An entry with its children. */
export interface EntryTreeNode {
  entry: SessionEntry;
  children: EntryTreeNode[];
  /** The label of the entry, set by the user or a program. */
  label?: string;
  /** The time at which the label was set; ISO 8601. */
  labelTimestamp?: string;
}

// The same schema as `Type.Recursive` creates, without its deep copy of all entries and messages, which takes a tenth of a start.
const nodeId = "EntryTreeNode";
const sameNode: TSchema = Type.Unsafe<EntryTreeNode>({ [Type.Kind]: "This", $ref: nodeId });
export const EntryTreeNodeSchema = Type.Unsafe<EntryTreeNode>(
  Type.Object(
    {
      entry: SessionEntrySchema,
      children: Type.Array(sameNode),
      label: Type.Optional(Type.String({ description: "The label of the entry." })),
      labelTimestamp: Type.Optional(Type.String({ description: "The time of the label; ISO 8601." })),
    },
    { $id: nodeId },
  ),
);
