import type { AgentSession } from "../../../session/agent-session.ts";
import type { TerminalContributions } from "../../../terminal-interface.ts";
import { Completion } from "../input/completion.ts";

export interface CompletionParts {
  /** The working folder before there is a session. */
  cwd: string;
  session(): AgentSession | undefined;
  contributions(): TerminalContributions | undefined;
}

/** Creates the completion of commands and files for the session of the moment. */
export function createCompletion({ cwd, session, contributions }: CompletionParts): Completion {
  const complete = async (command: string, typed: string) => (await contributions()?.completeArguments(command, typed)) ?? [];
  return new Completion({
    cwd: () => session()?.cwd ?? cwd,
    commands: async () => {
      const current = session();
      return current ? (await import("./find-command.ts")).listCompletedCommands(current, complete) : [];
    },
  });
}
