import type { TObject } from "@sinclair/typebox";
import { commands } from "../../protocol/commands.ts";
import type { CommandName } from "../../protocol/dispatch.ts";
import { HostToolResultSchema, HostToolUpdateSchema } from "../../protocol/frames.ts";
import { readFields } from "../../protocol/validate.ts";
import { leaveOutNulls } from "./absent-fields.ts";

type Fields = Record<string, unknown>;

/**
 * The parameters of a command as its schema describes them. Loaded with all schemas when the first command comes that has parameters.
 *
 * @throws {Error} Naming the field, what was expected, and what was received.
 */
export function readParams(command: CommandName, record: Fields): Promise<Fields> {
  return read(commands[command].params, record);
}

/** The same for what a host tells of a call. */
export function readHostToolFrame(record: Fields): Promise<Fields> {
  return read(record.type === "host_tool_update" ? HostToolUpdateSchema : HostToolResultSchema, record);
}

function read(schema: TObject, record: Fields): Promise<Fields> {
  return readFields(schema, leaveOutNulls(schema, record) as Fields);
}
