import type { AgentSessionEvent } from "../../../session/events.ts";
import { truncateToWidth } from "../library.ts";
import { formatSeconds, toSafeLine } from "../lines.ts";
import type { Theme } from "../theme/theme.ts";
import { shorten } from "./status-line.ts";

/** The pictures of the sign of life, one after another. */
const pictures = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"];
/** Milliseconds for which each is shown. */
export const pictureMs = 200;

/** The changes of extensions to the line. */
export interface WorkLook {
  /** In place of the activity. */
  message?: string | undefined;
  /** Default: true. */
  isVisible?: boolean;
  /** Pictures that are shown as they are: safe texts, which may have styles. */
  frames?: readonly string[] | undefined;
  /** Milliseconds for which each is shown. */
  frameMs?: number | undefined;
}

/** The line that says that the agent works, on what, how long, and how many tokens it has written. */
export class WorkLine {
  /** The look that extensions have chosen. */
  look: WorkLook = {};
  #startedMs: number | undefined;
  #activity = "Working";
  /** Tokens of the finished answers of the run, and of the one that streams. */
  #finishedTokens = 0;
  #streamedTokens = 0;

  /** Whether there is work. */
  get isActive(): boolean {
    return this.#startedMs !== undefined;
  }

  /** Follows the events of the session. */
  show(event: AgentSessionEvent): void {
    switch (event.type) {
      case "agent_start":
        this.#begin("Working");
        this.#finishedTokens = 0;
        this.#streamedTokens = 0;
        break;
      case "agent_settled":
        this.#startedMs = undefined;
        break;
      case "message_update":
        this.#activity = activities[event.assistantMessageEvent.type] ?? this.#activity;
        this.#streamedTokens = event.message.usage.output;
        break;
      case "message_end":
        if (event.message.role !== "assistant") break;
        this.#finishedTokens += event.message.usage.output;
        this.#streamedTokens = 0;
        break;
      case "tool_execution_start":
        this.#activity = `Running ${event.toolName}`;
        break;
      case "turn_start":
        this.#activity = "Waiting for the model";
        break;
      case "compaction_start":
        this.#begin("Summarising the conversation");
        break;
      case "compaction_end":
        // A manual compaction is not part of a run.
        if (event.reason === "manual") this.#startedMs = undefined;
        break;
    }
  }

  /** @param state - `isAsking`: whether the user is asked something, so that the work waits. `nowMs`: the time, for tests. */
  render(
    theme: Theme,
    width: number,
    { isAsking = false, nowMs = Date.now() }: { isAsking?: boolean; nowMs?: number } = {},
  ): string[] {
    const { message, isVisible = true, frames, frameMs = pictureMs } = this.look;
    if (this.#startedMs === undefined || !isVisible) return [];
    const ageMs = Math.max(0, nowMs - this.#startedMs);
    const shown = frames ?? pictures;
    const picture = shown[Math.floor(ageMs / frameMs) % shown.length] ?? "";
    const sign = frames ? picture : theme.accent(picture);
    const activity = toSafeLine(message ?? this.#activity);
    const tokens = this.#finishedTokens + this.#streamedTokens;
    const facts = [formatSeconds(ageMs), ...(tokens > 0 ? [`${shorten(tokens)} tokens`] : []), "Esc stops"];
    return [
      truncateToWidth(
        `${sign}${sign === "" ? "" : " "}${isAsking ? "Waiting for you" : activity} ${theme.dim(facts.join(" · "))}`,
        width,
      ),
    ];
  }

  #begin(activity: string): void {
    this.#startedMs ??= Date.now();
    this.#activity = activity;
  }
}

/** The activity by the event of a streaming answer. */
const activities: Readonly<Record<string, string>> = {
  thinking_start: "Thinking",
  text_start: "Answering",
  toolcall_start: "Preparing a tool call",
};
