import { homedir } from "node:os";
import { join, sep } from "node:path";
import { createApprovals } from "../../approvals/approvals.ts";
import type { ToolTiers } from "../../approvals/assess-tool.ts";
import type { Approvals } from "../../approvals/judge.ts";
import type { ApprovalRules } from "../../approvals/policy.ts";
import type { RuleTexts } from "../../config/approval-policies.ts";
import type { Settings } from "../../config/settings.ts";
import { createCommandEnvironment } from "../../exec/command-environment.ts";
import { observeCommands } from "../../exec/observe-commands.ts";
import { createLocalProcesses, type ProcessRunner } from "../../exec/run-process.ts";
import type { HookSlot, SessionHooks } from "../../extensions/hooks.ts";
import type { McpServers } from "../../mcp/mcp-servers.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { FileAccess } from "../../tools/files/file-access.ts";
import { isBuiltInTool } from "../../tools/index.ts";
import { canConfirm } from "../../user-interface.ts";
import { SessionTodos } from "../parts/todos.ts";
import { ToolSet } from "../parts/tool-set.ts";
import type { SessionParts } from "../parts.ts";
import { createCheckpoints } from "./checkpoints.ts";
import type { Configuration } from "./configuration.ts";
import type { Core } from "./core.ts";
import { loadOwnTools, type OwnToolsParts } from "./own-tools.ts";
import { createSandbox } from "./sandbox.ts";
import { withSessionVariables } from "./session-variables.ts";
import type { Setup } from "./setup.ts";
import type { Supervision } from "./supervision.ts";

/** The tools, their process runner, and their approvals. */
export interface Tools extends Pick<SessionParts, "tools" | "approvalRules" | "todos" | "checkpoints" | "stopProcesses"> {
  approvals: Approvals;
  /** The risk tiers of tools that are not built in. */
  tiers: { current: NonNullable<ToolTiers["toolTiers"]> };
  runProcess: ProcessRunner;
  /** Adds the tools that extensions may switch on. */
  offerTools(): Promise<void>;
  /** Undefined if no MCP servers are used. */
  mcp: McpServers | undefined;
}

/** Prepares the tools of a session. They are created for its folder when the conversation takes effect. */
export async function createTools(
  setup: Setup,
  configuration: Configuration,
  core: Core,
  supervision: Supervision,
): Promise<Tools> {
  const { options, parent, user, report } = setup;
  const { settings, hooks } = configuration;
  const { agent, instruments, transcript } = core;
  const env = settings.shell?.passKeys === false ? createCommandEnvironment({ passKeys: false }) : undefined;
  const sandbox = await createSandbox(setup, settings, transcript);
  const processes = createLocalProcesses({ env, shellPath: settings.shell?.path, container: sandbox });
  // A host that runs commands on this machine would run them outside of the sandbox.
  const hostRun = sandbox ? undefined : options.runProcess;
  const runProcess = observeCommands(
    withPrefix(hostRun ?? processes.run, settings.shellCommandPrefix),
    (command) => instruments.probe((current) => current.command?.(command)),
    { isLocal: hostRun === undefined, env },
  );
  const tiers = { current: options.toolTiers ?? {} };
  const approvalRules = parent?.approvalRules ?? {
    policy: options.approval ?? settings.approval ?? "never-ask",
    readOnly: options.readOnly ?? false,
    rules: joinRules(settings.approvalRules, options.approvalRules),
  };
  const approvals = parent?.approvals ?? createSessionApprovals(setup, approvalRules, core, { tiers, sandbox });
  const checkpoints = parent?.checkpoints ?? createCheckpoints(setup, settings, transcript);
  const shared = { approvals, approvalRules, checkpoints, sandbox, hooks: hooksOfTask(hooks) };
  const files = sandbox ? sandbox.guard(options.files ?? (await loadLocalFiles())) : options.files;
  const ownParts: OwnToolsParts = {
    ...{ options, settings, agent, checkpoints, files, depth: parent?.depth ?? 0 },
    sandbox: sandbox && { description: sandbox.description, canAsk: () => canConfirm(user) },
    // The environment of this machine means nothing to a runner of the caller.
    runProcess: hostRun ? runProcess : withSessionVariables(runProcess, core, env),
    ...{ limits: supervision.limits, todoList: supervision.todoList },
    async openTask(own, { depth, toolCallId }) {
      const session = await setup.openTask({ ...options, ...own, user, session: "memory" }, { ...shared, depth });
      const instrumentation = instruments.call((current) => current.task?.({ toolCallId, session }));
      if (instrumentation) session.instrument(instrumentation);
      return session;
    },
  };
  const createOwn = await loadOwnTools(ownParts);
  const tools = new ToolSet(agent, createOwn, { report, only: options.onlyTools, exclude: options.excludeTools });
  const mcp = await createMcpServers(setup, settings, core, { tools, sandbox });
  return {
    ...{ tools, approvals, approvalRules, checkpoints, tiers, runProcess, mcp },
    async offerTools() {
      const { loadOfferedTools } = await import("./offered-tools.ts");
      tools.offer(await loadOfferedTools(ownParts), transcript.conversation.header.cwd);
    },
    todos: new SessionTodos(supervision.todoList, tools),
    async stopProcesses() {
      await Promise.all([processes.stop(), mcp?.stop()]);
      if (!parent) await sandbox?.stop();
    },
  };
}

async function loadLocalFiles(): Promise<FileAccess> {
  return (await import("../../tools/files/local-files.ts")).localFiles;
}

/** Puts lines before each shell command. Programs with arguments are run as they are. */
function withPrefix(run: ProcessRunner, prefix: string | undefined): ProcessRunner {
  if (prefix === undefined || prefix === "") return run;
  return ({ command, ...options }) => run({ command: typeof command === "string" ? `${prefix}\n${command}` : command, ...options });
}

/** A path as users write it: `~` is the home folder. */
function toHomePath(path: string): string {
  const home = homedir() + sep;
  return path.startsWith(home) ? `~${sep}${path.slice(home.length)}` : path;
}

function joinRules(first: RuleTexts = {}, second: RuleTexts = {}): RuleTexts {
  const both = (kind: keyof RuleTexts) => [...(first[kind] ?? []), ...(second[kind] ?? [])];
  return { deny: both("deny"), ask: both("ask"), allow: both("allow") };
}

function createSessionApprovals(
  { options, user }: Setup,
  rules: ApprovalRules,
  { transcript, instruments }: Core,
  { tiers, sandbox }: { tiers: Tools["tiers"]; sandbox: Sandbox | undefined },
): Approvals {
  return createApprovals({
    containment: sandbox,
    get policy() {
      return rules.policy;
    },
    get readOnly() {
      return rules.readOnly;
    },
    get rules() {
      return rules.rules;
    },
    get cwd() {
      return transcript.conversation.header.cwd;
    },
    get sessionId() {
      return transcript.conversation.header.id;
    },
    get toolTiers() {
      return tiers.current;
    },
    user,
    onQuestion: ({ toolCallId, riskTier }) => instruments.probe((current) => current.approval?.({ toolCallId, riskTier })),
    isBuiltIn: isBuiltInTool,
    ruleFile: {
      path: toHomePath(join(options.agentDir, "settings.json")),
      async add(list, rule) {
        const { addRuleToSettings } = await import("../../config/approval-rules.ts");
        await addRuleToSettings(options.agentDir, list, rule);
      },
    },
    ...(options.files ? { files: options.files } : {}),
  });
}

/** The hooks of a sub-task: the extensions of the delegating session decide about its calls too. */
function hooksOfTask(slot: HookSlot): HookSlot {
  return {
    get current(): SessionHooks | undefined {
      const hooks = slot.current;
      return (
        hooks && {
          toolCall: async (call, signal) => hooks.toolCall?.(call, signal),
          toolResult: async (call, outcome, signal) => hooks.toolResult?.(call, outcome, signal),
        }
      );
    },
  };
}

/** The MCP servers of the settings and of the host. */
export function mcpServersOf({ mcp, mcpServers }: Setup["options"], settings: Settings): Settings["mcpServers"] & {} {
  return { ...(mcp === false ? {} : settings.mcpServers), ...mcpServers };
}

async function createMcpServers(
  { options, parent, report }: Setup,
  settings: Settings,
  { instruments, transcript }: Core,
  { tools, sandbox }: { tools: ToolSet; sandbox: Sandbox | undefined },
): Promise<McpServers | undefined> {
  const servers = mcpServersOf(options, settings);
  if (parent || Object.keys(servers).length === 0) return undefined;
  const { McpServers } = await import("../../mcp/mcp-servers.ts");
  return new McpServers({
    servers,
    cwd: transcript.conversation.header.cwd,
    replaceTools: (brought) => tools.replace("mcp", brought),
    offline: options.offline,
    container: sandbox,
    onCall: (call) => instruments.probe((current) => current.mcpCall?.(call)),
    report,
  });
}
