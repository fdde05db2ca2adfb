import { isTooDeep, maxNesting } from "@pikit/ai";
import type { TObject } from "@sinclair/typebox";
import { commands } from "../../protocol/commands.ts";
import type { CommandName } from "../../protocol/dispatch.ts";
import { HostToolResultSchema, HostToolUpdateSchema } from "../../protocol/frames.ts";
import { readFields } from "../../protocol/validate.ts";
import { leaveOutNulls } from "./absent-fields.ts";

type Fields = Record<string, unknown>;

/**
 * Checks and returns the parameters of a command. This module, with all schemas, is loaded at the first command that has parameters.
 *
 * @throws {Error} For an invalid field; the message names the field, the expected and the received value.
 */
export function readParams(command: CommandName, record: Fields): Promise<Fields> {
  return read(commands[command].params, record);
}

/** Does the same for a frame of the host about a tool call. */
export function readHostToolFrame(record: Fields): Promise<Fields> {
  return read(record.type === "host_tool_update" ? HostToolUpdateSchema : HostToolResultSchema, record);
}

async function read(schema: TObject, record: Fields): Promise<Fields> {
  const fields = await readFields(schema, leaveOutNulls(schema, record) as Fields);
  for (const [name, value] of Object.entries(fields)) {
    if (isTooDeep(value)) throw new Error(`Field "${name}" must not be nested more than ${maxNesting} levels deep`);
  }
  return fields;
}
