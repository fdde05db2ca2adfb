import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { commands } from "../../src/protocol/commands.ts";
import { findCommand } from "../../src/protocol/dispatch.ts";
import { type EntryTreeNode, EntryTreeNodeSchema } from "../../src/protocol/entries.ts";
import { type EventName, events } from "../../src/protocol/events.ts";
import { outgoingFrames, ResponseSchema, SessionHeaderSchema } from "../../src/protocol/frames.ts";
import type { WireRecord } from "./wire-record.ts";

/** What is wrong with a record that was sent, by the protocol's own schemas; empty when nothing is. */
export function findViolations(record: WireRecord): string[] {
  if (record.type === "response") return [...check(ResponseSchema, record), ...checkData(record)];
  if (record.type === "session") return check(SessionHeaderSchema, record);
  if (Object.hasOwn(outgoingFrames, record.type)) return check(outgoingFrames[record.type as keyof typeof outgoingFrames], record);
  // Deltas mode has records of its own; the rebuilding of snapshots tests them.
  if (record.type === "message_update" && record.message === undefined) return [];
  if (!Object.hasOwn(events, record.type)) return [`unknown event ${record.type}`];
  if ("id" in record) return [`the event ${record.type} carries an id`];
  return check(events[record.type as EventName], record);
}

function checkData(record: WireRecord): string[] {
  const name = findCommand(String(record.command));
  if (record.success !== true) return "data" in record ? [`a failed ${record.command} carries data`] : [];
  if (name === undefined) return [`success for the unknown command ${record.command}`];
  if (name === "get_tree") return checkTree((record.data?.tree ?? []) as EntryTreeNode[]);
  return check(commands[name].data, record.data);
}

/** Node by node: a tree is as deep as its session is long, and the checker would follow it down by recursion. */
function checkTree(tree: readonly EntryTreeNode[]): string[] {
  const violations: string[] = [];
  const open = [...tree];
  for (let node = open.pop(); node; node = open.pop()) {
    violations.push(...check(EntryTreeNodeSchema, { ...node, children: [] }));
    open.push(...node.children);
  }
  return violations;
}

function check(schema: TSchema, value: unknown): string[] {
  return [...Value.Errors(schema, value)].map((error) => `${(value as WireRecord)?.type}${error.path}: ${error.message}`);
}
