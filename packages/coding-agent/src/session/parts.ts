import type { Agent } from "@pikit/agent";
import type { ApprovalRules } from "../approvals/policy.ts";
import type { CommandRuns } from "../extensions/command-runs.ts";
import type { HookSlot } from "../extensions/hooks.ts";
import type { SlashCommands } from "../extensions/slash-commands.ts";
import type { ModelChoice } from "../models/model-choice.ts";
import type { ModelRegistry } from "../models/model-registry.ts";
import type { PromptResources } from "../prompt/prompt-resources.ts";
import type { Compactor } from "../run/compaction/compactor.ts";
import type { LimitGuard } from "../run/limits.ts";
import type { RunController } from "../run/run-controller.ts";
import type { ToolEndings } from "../run/tool-endings.ts";
import type { UserSlot } from "../user-interface.ts";
import type { SessionEvents } from "./events.ts";
import type { SessionLife } from "./life.ts";
import type { SessionCheckpoints } from "./parts/checkpoints.ts";
import type { SessionHistory } from "./parts/history.ts";
import type { SessionInstruments } from "./parts/instruments.ts";
import type { QueueUpdates } from "./parts/queue-updates.ts";
import type { SessionQueues } from "./parts/queues.ts";
import type { SessionRetries } from "./parts/retries.ts";
import type { SessionShell } from "./parts/shell.ts";
import type { SystemPrompt } from "./parts/system-prompt.ts";
import type { SessionTodos } from "./parts/todos.ts";
import type { ToolSet } from "./parts/tool-set.ts";
import type { Transcript } from "./parts/transcript.ts";

/** The parts of a session. The files of `assemble` create them in the order of the groups below. */
export interface SessionParts {
  user: UserSlot;
  /** The hooks of extensions. A sub-task uses those of the delegating session. */
  hooks: HookSlot;
  commands: SlashCommands;

  /** Whether the session can still be changed. */
  life: SessionLife;
  instruments: SessionInstruments;
  events: SessionEvents;
  agent: Agent;
  transcript: Transcript;
  queues: SessionQueues;
  queueUpdates: QueueUpdates;
  registry: ModelRegistry;
  models: ModelChoice;

  retries: SessionRetries;
  limits: LimitGuard;
  compactor: Compactor;

  tools: ToolSet;
  /** Those of the delegating session in a sub-task. */
  approvalRules: ApprovalRules;
  todos: SessionTodos;
  /** Those of the delegating session in a sub-task. */
  checkpoints: SessionCheckpoints;
  prompts: PromptResources;
  systemPrompt: SystemPrompt;

  runs: RunController;
  commandRuns: CommandRuns;
  shell: SessionShell;
  endings: ToolEndings;
  history: SessionHistory;
  /** Ends the remaining processes of commands and MCP servers. */
  stopProcesses(): Promise<void>;
}
