import type { Agent, AgentEvent, AgentHooks, FinishedTurn, PendingToolCall } from "@pikit/agent";
import type { Approvals } from "../../approvals/judge.ts";
import { toModelMessages } from "../../conversation/messages.ts";
import { CommandRuns } from "../../extensions/command-runs.ts";
import type { HookSlot } from "../../extensions/hooks.ts";
import { RunController } from "../../run/run-controller.ts";
import { RunSupervisor } from "../../run/run-supervisor.ts";
import { ToolEndings } from "../../run/tool-endings.ts";
import type { ToolPatterns } from "../../run/tool-patterns.ts";
import { SessionShell } from "../parts/shell.ts";
import type { SessionParts } from "../parts.ts";
import type { Configuration } from "./configuration.ts";
import type { Core } from "./core.ts";
import type { Prompts } from "./prompts.ts";
import type { Setup } from "./setup.ts";
import type { Supervision } from "./supervision.ts";
import { mcpServersOf, type Tools } from "./tools.ts";

export type Runner = Pick<SessionParts, "runs" | "commandRuns" | "shell" | "endings">;

/** The results of the earlier steps of the assembly. */
interface RunnerInputs {
  setup: Setup;
  configuration: Configuration;
  core: Core;
  supervision: Supervision;
  tools: Tools;
  prompts: Prompts;
}

/** Creates the parts that run prompts, commands of extensions, and shell commands of the user. */
export function createRunner(inputs: RunnerInputs): Runner {
  const { configuration, core, supervision, tools } = inputs;
  const { agent, events, transcript } = core;
  const { retries, todoList, limits, compactor, rules } = supervision;
  const supervisor = new RunSupervisor({
    ...{ agent, limits, compactor, rules, retry: retries.answers, todos: todoList },
    beforeToolCall: beforeToolCall(configuration.hooks, tools.approvals),
  });
  const { queuedAtEnd } = observeRuns(agent, core, { supervisor, hooks: configuration.hooks });
  const endings = new ToolEndings();
  const runs = createController(inputs, { supervisor, endings, queuedAtEnd });
  return {
    ...{ runs, endings },
    commandRuns: new CommandRuns({
      isRunning: () => runs.isActive,
      startedRuns: () => events.startedRuns,
      emit: events.emit,
    }),
    shell: new SessionShell(tools.runProcess, transcript, configuration.hooks),
  };
}

function createController(
  { setup, configuration, core, supervision, tools, prompts }: RunnerInputs,
  { supervisor, endings, queuedAtEnd }: { supervisor: RunSupervisor; endings: ToolEndings; queuedAtEnd(): number },
): RunController {
  const { hooks, settings } = configuration;
  const { agent, events, queueUpdates, transcript } = core;
  const { answerOptions: requestOptions } = supervision;
  const betweenTurns = async (turn: FinishedTurn, signal: AbortSignal) =>
    endings.isEnd(turn.toolResults) ? ("stop" as const) : supervisor.hooks.betweenTurns?.(turn, signal);
  const agentHooks = { ...supervisor.hooks, ...createHooks(hooks, setup), requestOptions, betweenTurns };
  return new RunController(agent, agentHooks, {
    async before(messages, signal) {
      await hooks.current?.beforeRun?.();
      tools.mcp?.configure(mcpServersOf(setup.options, settings), transcript.conversation.header.cwd);
      await tools.mcp?.start(signal);
      await prompts.systemPrompt.refresh();
      return supervisor.beforeRun(messages, signal);
    },
    queuedAtEnd,
    after: (signal) => supervisor.afterRun(signal),
    settled() {
      queueUpdates.flush();
      return events.emit({ type: "agent_settled" });
    },
  });
}

/** The agent's hooks that do not belong to the supervisor: those of extensions, and the check of arguments. */
function createHooks(hooks: HookSlot, { report }: Setup): AgentHooks {
  let toolPatterns: ToolPatterns | undefined;
  return {
    toModelMessages(messages) {
      const seen = hooks.current?.context?.(messages);
      return seen === undefined ? toModelMessages(messages) : seen.then(toModelMessages);
    },
    async patternsFor(tool) {
      toolPatterns ??= new (await import("../../run/tool-patterns.ts")).ToolPatterns(report);
      return toolPatterns.forTool(tool);
    },
    afterToolCall: (call, outcome, signal) => hooks.current?.toolResult?.(call, outcome, signal),
  };
}

/** Extensions decide first, approvals last, because extensions may change the call. */
function beforeToolCall(hooks: HookSlot, approvals: Approvals): NonNullable<AgentHooks["beforeToolCall"]> {
  return async (call: PendingToolCall, signal: AbortSignal) => {
    const verdict = await hooks.current?.toolCall?.(call, signal);
    if (verdict && "refuse" in verdict) return verdict;
    return (await approvals.check({ ...call, ...verdict }, signal)) ?? verdict;
  };
}

/**
 * Stores each message of the agent before the session's subscribers get it.
 *
 * @returns `queuedAtEnd`: see `RunPhases`.
 */
function observeRuns(
  agent: Agent,
  { transcript, events }: Core,
  { supervisor, hooks }: { supervisor: RunSupervisor; hooks: HookSlot },
): { queuedAtEnd(): number } {
  let queuedAtEnd = 0;
  const emitStored = async (event: Extract<AgentEvent, { type: "message_end" }>) => {
    const finished = hooks.current?.finishMessage?.(event.message);
    if (finished !== undefined) await finished;
    await transcript.store(event.message);
    await events.emit(event);
    await supervisor.observeAnswer(event.message);
  };
  agent.subscribe((event) => {
    // Most events store nothing and must not cost a promise or a closure.
    if (event.type === "message_end") return emitStored(event);
    if (event.type === "turn_end") transcript.closeCalls();
    else if (event.type === "agent_end") queuedAtEnd = agent.queuedCount;
    return events.emit(event);
  });
  return { queuedAtEnd: () => queuedAtEnd };
}
