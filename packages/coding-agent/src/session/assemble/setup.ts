import { resolve } from "node:path";
import type { Approvals } from "../../approvals/approvals.ts";
import { agentFolder } from "../../config/paths.ts";
import type { HookSlot } from "../../extensions/hooks.ts";
import { absentUser, UserSlot } from "../../user-interface.ts";
import type { AgentSession } from "../agent-session.ts";
import type { CreateAgentSessionOptions } from "../options.ts";

/** What a sub-task has from the session that delegates. */
export interface ParentSession {
  approvals: Approvals;
  hooks: HookSlot;
  /** How deep the sub-task is: 1 for one of a user's session, 2 for a sub-task of that. */
  depth: number;
}

/** Opens the session of a sub-task, with options in place of the delegating session's. */
export type OpenTask = (own: CreateAgentSessionOptions, parent: ParentSession) => Promise<AgentSession>;

/** What every step of the assembly is given. */
export interface Setup {
  options: CreateAgentSessionOptions & { cwd: string; agentDir: string };
  /** Absent for the session of a user. */
  parent: ParentSession | undefined;
  user: UserSlot;
  /** Told in one line of each thing that is not used, or not as it was asked for. */
  report(problem: string): void;
  openTask: OpenTask;
  /** Takes what ends something that was begun, for the case that a later step fails. */
  onFailure(end: () => unknown): void;
}

/** Fills in the defaults of the options that all steps share. */
export function createSetup(
  options: CreateAgentSessionOptions,
  { parent, openTask, onFailure }: Pick<Setup, "parent" | "openTask" | "onFailure">,
): Setup {
  const user = new UserSlot(options.user ?? absentUser);
  return {
    options: { ...options, cwd: resolve(options.cwd ?? process.cwd()), agentDir: options.agentDir ?? agentFolder() },
    ...{ parent, user, openTask, onFailure },
    report: options.onProblem ?? ((problem) => user.notify(problem, "warning")),
  };
}
