import type { ShellPlace } from "../approvals/shell/read-effects.ts";

/**
 * Returns whether a shell command may change files: every command that is not known to only read. The use of the network counts, because downloads and
 * clients of servers leave files behind.
 */
export async function mayWrite(command: string, place: ShellPlace): Promise<boolean> {
  // Loaded with the first command, as for approvals.
  const { readEffects } = await import("../approvals/shell/read-effects.ts");
  const { effects } = await readEffects(command, place);
  return effects.some(({ kind }) => kind !== "read");
}
