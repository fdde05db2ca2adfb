import { isTooDeep, maxNesting } from "@pikit/ai";
import type { TObject } from "@sinclair/typebox";
import type { CommandName } from "../../protocol/dispatch.ts";
import { hostToolFrameShapes, paramShapes } from "../../protocol/param-shapes.ts";
import { readShape, type Shape } from "../../protocol/shape.ts";
import { leaveOutNulls } from "./absent-fields.ts";

type Fields = Record<string, unknown>;

/**
 * Checks and returns the parameters of a command. This module is loaded at the first command that has parameters, and the schemas, which take
 * longer, with the first invalid one.
 *
 * @throws {Error} For an invalid field; the message names the field, the expected and the received value.
 */
export function readParams(command: CommandName, record: Fields): Promise<Fields> {
  return read(paramShapes[command], record, async () => (await import("../../protocol/commands.ts")).commands[command].params);
}

/** Does the same for a frame of the host about a tool call. */
export function readHostToolFrame(record: Fields): Promise<Fields> {
  const type = record.type === "host_tool_update" ? "host_tool_update" : "host_tool_result";
  return read(hostToolFrameShapes[type], record, async () => (await import("../../protocol/frames.ts")).incomingFrames[type]);
}

async function read(shape: Shape, record: Fields, loadSchema: () => Promise<TObject>): Promise<Fields> {
  const given = leaveOutNulls(shape, record) as Fields;
  const fields = readShape(shape, given) ?? (await readWithSchema(await loadSchema(), given));
  for (const [name, value] of Object.entries(fields)) {
    if (isTooDeep(value)) throw new Error(`Field "${name}" must not be nested more than ${maxNesting} levels deep`);
  }
  return fields;
}

async function readWithSchema(schema: TObject, record: Fields): Promise<Fields> {
  return (await import("../../protocol/validate.ts")).readFields(schema, record);
}
