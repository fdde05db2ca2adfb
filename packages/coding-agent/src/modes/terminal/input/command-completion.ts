import type { AgentSession } from "../../../session/agent-session.ts";
import type { TerminalCommand } from "../commands/command.ts";
import { fuzzyFilter } from "../library.ts";
import type { CompletedCommand } from "./completion.ts";

/** The commands of the terminal, with the values of their arguments, then those of the session: its extensions, templates and skills. */
export async function listCompletedCommands(
  commands: readonly TerminalCommand[],
  session: AgentSession,
): Promise<CompletedCommand[]> {
  const own = commands.map(({ name, description, complete }): CompletedCommand => {
    if (!complete) return { name, description };
    const completeArguments = async (typed: string) => fuzzyFilter([...(await complete(session))], typed, ({ label }) => label);
    return { name, description, completeArguments };
  });
  return [...own, ...(await session.listCommands())];
}
