import type { SessionEvent } from "../protocol/events.ts";
import type { AgentSessionEvent } from "../session/events.ts";

/** Types of custom messages that are not shown, because an event of their own reports them. */
const reportedByEvents: ReadonlySet<string> = new Set(["ttsr", "todo-reminder"]);

/**
 * Describes errors and waits in one line, for users who see only the answer otherwise; undefined for other events. The end of a run is
 * reported by its outcome.
 */
export function toNotice(event: AgentSessionEvent): string | undefined {
  switch (event.type) {
    case "auto_retry_start":
      return `${sentence(event.errorMessage)} Trying again in ${seconds(event.delayMs)} (${event.attempt} of ${event.maxAttempts}).`;
    case "auto_compaction_start":
      return event.reason === "overflow"
        ? "The conversation is longer than the model's context window. Summarising it."
        : "The conversation nearly fills the model's context window. Summarising it.";
    case "compaction_start":
      // An automatic compaction has its own event.
      return event.reason === "manual" ? "Summarising the conversation." : undefined;
    case "auto_compaction_end":
      return summaryFailure(event);
    case "compaction_end":
      return event.reason === "manual" ? summaryFailure(event) : undefined;
    case "extension_error":
      // Extensions that failed to load were reported when the session was created.
      if (event.event === "load") return undefined;
      return `The extension ${event.extensionPath} failed at ${event.event}: ${event.error}`;
    case "error":
      return event.error;
    default:
      return undefined;
  }
}

/** Describes events in one or more lines, for users who watch the work: all of `toNotice`, and rules, reminders and custom messages. */
export function toWorkNote(event: AgentSessionEvent): string | undefined {
  switch (event.type) {
    case "ttsr_triggered":
      return `The answer broke ${event.rules.map(({ name }) => `the rule ${name}`).join(" and ")} and was stopped. The model starts it again.`;
    case "todo_reminder":
      return `The model stopped before its todo list was done. Reminding it (${event.attempt} of ${event.maxAttempts}).`;
    case "message_end": {
      const { message } = event;
      if (message.role !== "custom" || !message.display || reportedByEvents.has(message.customType)) return undefined;
      const { content } = message;
      return typeof content === "string"
        ? content
        : content.map((block) => (block.type === "text" ? block.text : "(an image)")).join("\n");
    }
    default:
      return toNotice(event);
  }
}

type SummaryEnd = Extract<SessionEvent, { type: "auto_compaction_end" | "compaction_end" }>;

function summaryFailure({ errorMessage, aborted }: Pick<SummaryEnd, "errorMessage" | "aborted">): string | undefined {
  return errorMessage === undefined || aborted ? undefined : `The conversation was not summarised: ${errorMessage}`;
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
