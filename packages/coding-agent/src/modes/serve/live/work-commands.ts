import { type CommandName, findCommand } from "../../../protocol/dispatch.ts";

/** The commands that begin work. They are refused while the server is ending. */
const workCommands: ReadonlySet<CommandName> = new Set<CommandName>([
  ...(["prompt", "steer", "follow_up", "abort_and_prompt", "bash", "compact"] as const),
  ...(["new_session", "switch_session", "fork", "clone"] as const),
]);

/** Whether a record is a command that begins work. */
export function beginsWork({ type }: Record<string, unknown>): boolean {
  const command = typeof type === "string" ? findCommand(type) : undefined;
  return command !== undefined && workCommands.has(command);
}

/** Whether a record is a command that only reads, so that it may run again. */
export function onlyReads({ type }: Record<string, unknown>): boolean {
  const command = typeof type === "string" ? findCommand(type) : undefined;
  return command?.startsWith("get_") ?? false;
}

/** The reason for the refusal. */
export const endingReason = "The server is ending, and takes no new work. Try again when it is back.";
