import { resolve } from "node:path";
import type { Approvals } from "../../approvals/judge.ts";
import type { ApprovalRules } from "../../approvals/policy.ts";
import { agentFolder } from "../../config/paths.ts";
import type { HookSlot } from "../../extensions/hooks.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { absentUser, UserSlot } from "../../user-interface.ts";
import type { AgentSession } from "../agent-session.ts";
import type { CreateAgentSessionOptions, EntryPointOptions } from "../options.ts";
import type { SessionCheckpoints } from "../parts/checkpoints.ts";

/** The parts of the delegating session that a sub-task uses. */
export interface ParentSession {
  approvals: Approvals;
  approvalRules: ApprovalRules;
  hooks: HookSlot;
  checkpoints: SessionCheckpoints;
  sandbox: Sandbox | undefined;
  /** The delegation depth: 1 for a sub-task of a user's session, 2 for a sub-task of that. */
  depth: number;
}

/** Opens the session of a sub-task. Its own options override those of the delegating session. */
type OpenTask = (own: CreateAgentSessionOptions, parent: ParentSession) => Promise<AgentSession>;

/** The input of every step of the assembly. */
export interface Setup {
  options: CreateAgentSessionOptions & EntryPointOptions & { cwd: string; agentDir: string };
  /** Undefined for the session of a user. */
  parent: ParentSession | undefined;
  user: UserSlot;
  /** Called with one line for each piece of configuration that is ignored or changed. */
  report(problem: string): void;
  openTask: OpenTask;
  /** Adds a clean-up function, which is called if a later step fails. */
  onFailure(end: () => unknown): void;
}

/** Fills in the defaults of the shared options. */
export function createSetup(
  options: CreateAgentSessionOptions & EntryPointOptions,
  { parent, openTask, onFailure }: Pick<Setup, "parent" | "openTask" | "onFailure">,
): Setup {
  const user = new UserSlot(options.user ?? absentUser);
  return {
    options: { ...options, cwd: resolve(options.cwd ?? process.cwd()), agentDir: options.agentDir ?? agentFolder() },
    ...{ parent, user, openTask, onFailure },
    report: options.onProblem ?? ((problem) => user.notify(problem, "warning")),
  };
}
