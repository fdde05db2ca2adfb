import { isTooDeep, maxNesting } from "@pikit/ai";
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

async function read(schema: TObject, record: Fields): Promise<Fields> {
  const fields = await readFields(schema, leaveOutNulls(schema, record) as Fields);
  for (const [name, value] of Object.entries(fields)) {
    if (isTooDeep(value)) throw new Error(`Field "${name}" must not be nested more than ${maxNesting} levels deep`);
  }
  return fields;
}
