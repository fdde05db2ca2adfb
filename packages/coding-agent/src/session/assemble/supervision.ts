import type { RequestOptions } from "@pikit/agent";
import type { Model } from "@pikit/ai";
import type { Settings } from "../../config/settings.ts";
import { createUserMessage } from "../../prompt/prompt-input.ts";
import { defaultRetrySettings } from "../../run/auto-retry.ts";
import { Compactor } from "../../run/compaction/compactor.ts";
import { defaultCompactionSettings } from "../../run/compaction/policy.ts";
import { LimitGuard, type RunLimits } from "../../run/limits.ts";
import type { StreamRules } from "../../run/stream-rules.ts";
import { TodoList } from "../../todo/todo-list.ts";
import type { ObservedModelCall } from "../instrumentation.ts";
import { SessionRetries } from "../parts/retries.ts";
import type { SessionParts } from "../parts.ts";
import type { Configuration } from "./configuration.ts";
import type { Core } from "./core.ts";
import type { Setup } from "./setup.ts";

/** The parts that decide whether and how a run continues. */
export interface Supervision extends Pick<SessionParts, "retries" | "limits" | "compactor"> {
  todoList: TodoList;
  /** Undefined if the session has no rules. */
  rules: StreamRules | undefined;
  /** Further options of the call for an answer, such as the key. */
  answerOptions(model: Model): Promise<RequestOptions>;
  /** The same for a summary. */
  summaryOptions(model: Model): Promise<RequestOptions>;
}

/** @throws {SessionError} When a stream rule is invalid. */
export async function createSupervision(setup: Setup, configuration: Configuration, core: Core): Promise<Supervision> {
  const { options, user } = setup;
  const { settings } = configuration;
  const { agent, events, instruments, registry, transcript } = core;
  const retries = new SessionRetries({ ...defaultRetrySettings, ...settings.retry, ...options.retry }, events);
  const todoList = new TodoList({
    append: (customType, data) => transcript.append({ type: "custom", customType, data }),
    emit: events.emit,
  });
  const limits = new LimitGuard({
    limits: { ...toRunLimits(settings.limits), ...options.limits },
    user,
    emit: events.emit,
    isMoreQueued: () => agent.queuedCount > 0 || todoList.isReminderDue,
    addHint: (text) => agent.steer(createUserMessage({ text })),
  });
  const requestOptions = async (purpose: ObservedModelCall["purpose"], model: Model) => {
    registry.requireReachable(model);
    const { headers, ...more } = { ...(await registry.authFor(model)), ...configuration.hooks.current?.requestHooks?.() };
    const { systemPrompt, tools, messages, thinkingLevel } = agent.state;
    const observed = { purpose, model, thinkingLevel, context: { systemPrompt, tools, messages } };
    const observer = instruments.probe((instrumentation) => instrumentation.modelCall?.(observed));
    return {
      sessionId: transcript.conversation.header.id,
      ...more,
      ...((headers || observer?.headers) && { headers: { ...observer?.headers, ...headers } }),
      ...(observer && { observer }),
    };
  };
  const answerOptions = (model: Model) => requestOptions("answer", model);
  const summaryOptions = (model: Model) => requestOptions("summary", model);
  const compactor = createCompactor(setup, configuration, core, { limits, retries, summaryOptions });
  const rules = await createRules(setup, configuration, core);
  return { retries, todoList, limits, compactor, rules, answerOptions, summaryOptions };
}

function createCompactor(
  { options }: Setup,
  { settings, hooks }: Configuration,
  { agent, events, transcript }: Core,
  { limits, retries, summaryOptions }: Pick<Supervision, "limits" | "retries" | "summaryOptions">,
): Compactor {
  return new Compactor({
    settings: { ...defaultCompactionSettings, ...settings.compaction, ...options.compaction },
    state: agent.state,
    readBranch: () => transcript.conversation.contextEntries(),
    newEntryId: () => transcript.conversation.newEntryId(),
    nextInContext: (entryId) => transcript.conversation.nextInContext(entryId),
    append: (entry, id) => transcript.append(entry, id),
    requestOptions: summaryOptions,
    retry: retries.summaries,
    get intercept() {
      const { current } = hooks;
      return current?.beforeCompaction?.bind(current);
    },
    emit(event) {
      if (event.type === "compaction_end" && event.result) limits.countCost(event.result);
      return events.emit(event);
    },
  });
}

async function createRules({ options }: Setup, { resources }: Configuration, { events }: Core): Promise<StreamRules | undefined> {
  const rules = [...(options.streamRules ?? []), ...(await resources.readRules())];
  if (rules.length === 0) return undefined;
  const { createStreamRules } = await import("../../run/stream-rules.ts");
  return createStreamRules(rules, { emit: events.emit });
}

function toRunLimits({ maxTimeSeconds, ...limits }: NonNullable<Settings["limits"]> = {}): RunLimits {
  return { ...limits, ...(maxTimeSeconds === undefined ? {} : { maxTimeMs: maxTimeSeconds * 1000 }) };
}
