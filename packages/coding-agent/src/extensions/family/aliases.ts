import type { ExtensionContext } from "../api-context.ts";
import type { ExtensionEventName, ExtensionEvents } from "../events.ts";
import type { FamilyEvents } from "./events.ts";

type EventOf<N extends ExtensionEventName> = ExtensionEvents[N]["event"];
type Native = Exclude<ExtensionEventName, keyof FamilyEvents>;

/** An event under the name and with the fields of other programs of the family. */
interface EventAlias {
  /** The event that calls its handlers. */
  of: Native;
  /** Converts the event; undefined: its handlers are not called. */
  toEvent(event: never, context: ExtensionContext): object | undefined;
  /** Converts the result of a handler. Default: it is used unchanged. */
  toResult?(result: never, event: never): unknown;
}

/** Infers the types of the converters from the two names. */
function alias<A extends keyof FamilyEvents, N extends Native>(
  _name: A,
  of: N,
  toEvent: (event: EventOf<N>, context: ExtensionContext) => Omit<FamilyEvents[A]["event"], "type"> | undefined,
  toResult?: (result: NonNullable<FamilyEvents[A]["result"]>, event: FamilyEvents[A]["event"]) => unknown,
): EventAlias {
  return { of, toEvent, ...(toResult ? { toResult } : {}) };
}

/** The converters, by the name of the family. */
const eventAliases: Readonly<Record<keyof FamilyEvents, EventAlias>> = {
  before_agent_start: alias("before_agent_start", "before_prompt", ({ text, images, systemPrompt, systemPromptOptions }) => ({
    ...{ prompt: text, systemPrompt, systemPromptOptions },
    ...(images.length > 0 ? { images: [...images] } : {}),
  })),
  session_before_switch: alias("session_before_switch", "session_switch", ({ reason, target }) => {
    if (reason === "new") return { reason };
    const targetFields = target === undefined ? {} : { targetSessionFile: target };
    return reason === "switch" ? { reason: "resume" as const, ...targetFields } : undefined;
  }),
  session_before_fork: alias("session_before_fork", "session_switch", ({ reason, target = "" }) => {
    if (reason === "fork") return { entryId: target, position: "before" as const };
    return reason === "clone" ? { entryId: target, position: "at" as const } : undefined;
  }),
  session_before_tree: alias(
    "session_before_tree",
    "session_switch",
    ({ reason, target, wantsSummary = false }, { sessionManager, signal }) => {
      if (reason !== "branch" || target === undefined) return undefined;
      const left = sessionManager.getBranch();
      const kept = new Set(sessionManager.getBranch(target).map(({ id }) => id));
      const common = left.findLastIndex(({ id }) => kept.has(id));
      const preparation = {
        targetId: target,
        oldLeafId: sessionManager.getLeafId(),
        commonAncestorId: left[common]?.id ?? null,
        entriesToSummarize: left.slice(common + 1),
        userWantsSummary: wantsSummary,
      };
      return { preparation, signal };
    },
  ),
  session_before_compact: alias(
    "session_before_compact",
    "before_compaction",
    (
      { reason, instructions, messages, previousSummary, tokensBefore, firstKeptEntryId, settings },
      { sessionManager, signal },
    ) => ({
      preparation: {
        ...{ firstKeptEntryId, tokensBefore, settings: { enabled: true, ...settings } },
        messagesToSummarize: [...messages],
        turnPrefixMessages: [],
        isSplitTurn: false,
        fileOps: { read: new Set<string>(), written: new Set<string>(), edited: new Set<string>() },
        ...(previousSummary === undefined ? {} : { previousSummary }),
      },
      branchEntries: sessionManager.getBranch(),
      ...(instructions === undefined ? {} : { customInstructions: instructions }),
      ...{ reason, willRetry: reason === "overflow", signal },
    }),
    ({ cancel, compaction }) => ({
      ...(cancel === undefined ? {} : { cancel }),
      ...(compaction === undefined ? {} : { summary: compaction.summary, details: compaction.details }),
    }),
  ),
  session_compact: alias("session_compact", "compaction_end", ({ result, reason, willRetry }, { sessionManager }) => {
    const compactionEntry = sessionManager.getBranch().findLast(({ type }) => type === "compaction");
    if (result === null || compactionEntry?.type !== "compaction") return undefined;
    return { compactionEntry, fromExtension: compactionEntry.fromHook === true, reason, willRetry };
  }),
  session_compact_failed: alias(
    "session_compact_failed",
    "compaction_end",
    ({ result, reason, willRetry, aborted, errorMessage }) =>
      result === null
        ? { ...{ reason, willRetry, aborted, fromExtension: false }, ...(errorMessage === undefined ? {} : { errorMessage }) }
        : undefined,
  ),
  shutdown: alias("shutdown", "session_shutdown", ({ reason }) => ({ reason: reason === "reload" ? reason : "end" })),
};

type Handler = (event: unknown, context: unknown) => unknown;

/** Returns a handler of the event itself that calls the handler of an alias. */
export function handlerOfAlias(name: keyof FamilyEvents, handler: Handler): { name: Native; handler: Handler } {
  const { of, toEvent, toResult } = eventAliases[name];
  return {
    name: of,
    async handler(event, context) {
      const fields = toEvent(event as never, context as ExtensionContext);
      if (fields === undefined) return undefined;
      const result = await handler({ type: name, ...fields }, context);
      const isObject = typeof result === "object" && result !== null;
      return toResult && isObject ? toResult(result as never, event as never) : result;
    },
  };
}

/** Whether an event has another name of its own here. */
export function isEventAlias(name: string): name is keyof FamilyEvents {
  return Object.hasOwn(eventAliases, name);
}
