import { describeLeft, describeRestored } from "../../../checkpoints/describe-restore.ts";
import { SessionError } from "../../../errors.ts";
import type { Stage } from "../stage.ts";
import type { TerminalCommand } from "./command.ts";

export const undoCommands: readonly TerminalCommand[] = [
  {
    name: "undo",
    description: "put back the files that the last turn has changed",
    argument: "[--force]",
    run: (stage, args) => restore(stage, "undo", args),
  },
  {
    name: "redo",
    description: "take back the last undo",
    argument: "[--force]",
    run: (stage, args) => restore(stage, "redo", args),
  },
];

/** The files that were put back are in a message of the conversation, which the model reads too. */
async function restore(stage: Stage, kind: "undo" | "redo", args: string): Promise<void> {
  if (args !== "" && args !== "--force") {
    throw new SessionError("invalid_input", `/${kind} takes only --force, which also puts back files that have changed since.`);
  }
  const { session } = stage;
  const result = await session[kind]({ force: args === "--force" }).catch((error: unknown) => {
    // No fault that gives the line back to be corrected.
    if (!(error instanceof SessionError) || error.code !== "nothing_to_undo") throw error;
    stage.note(error.message);
  });
  if (!result) return;
  if (result.restored.length === 0) for (const line of describeRestored(result, { kind, cwd: session.cwd })) stage.note(line);
  for (const line of describeLeft(result, session)) stage.note(line, "warning");
}
