import type { SessionEvent } from "../protocol/events.ts";
import type { AgentSessionEvent } from "../session/events.ts";

/** Custom messages of ours, of which an event of their own tells. */
const toldByEvents: ReadonlySet<string> = new Set(["ttsr", "todo-reminder"]);

/**
 * What somebody who wants nothing but the answer must know all the same, in one line: what went wrong, and what is waited for. Undefined
 * when an event tells nothing of that. How a run ended is told by its outcome.
 */
export function toNotice(event: AgentSessionEvent): string | undefined {
  switch (event.type) {
    case "auto_retry_start":
      return `${sentence(event.errorMessage)} Trying again in ${seconds(event.delayMs)} (${event.attempt} of ${event.maxAttempts}).`;
    case "auto_compaction_start":
      return event.reason === "overflow"
        ? "The conversation is longer than the model's window: summarising it."
        : "The conversation nears the end of the model's window: summarising it.";
    case "compaction_start":
      // An automatic one is told by its own name.
      return event.reason === "manual" ? "Summarising the conversation." : undefined;
    case "auto_compaction_end":
      return summaryFailure(event);
    case "compaction_end":
      return event.reason === "manual" ? summaryFailure(event) : undefined;
    case "extension_error":
      // What could not be loaded was told when the session was made.
      if (event.event === "load") return undefined;
      return `The extension ${event.extensionPath} failed at ${event.event}: ${event.error}`;
    case "error":
      return event.error;
    default:
      return undefined;
  }
}

/** What somebody who watches the work wants to know beside that, in one line or more. */
export function toWorkNote(event: AgentSessionEvent): string | undefined {
  switch (event.type) {
    case "ttsr_triggered":
      return `The answer broke ${event.rules.map(({ name }) => `the rule ${name}`).join(" and ")} and was stopped. It begins again.`;
    case "todo_reminder":
      return `The model stopped before its list was done, and is reminded (${event.attempt} of ${event.maxAttempts}).`;
    case "message_end": {
      const { message } = event;
      if (message.role !== "custom" || !message.display || toldByEvents.has(message.customType)) return undefined;
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
