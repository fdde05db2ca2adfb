/** What a story is told from: events of a session, or records of a wire. */
interface Told {
  type: string;
}

interface Fields {
  message: { role: string; content: unknown; stopReason?: string };
  steering: string[];
  followUp: string[];
  attempt: number;
  maxAttempts: number;
  success: boolean;
  finalError: string;
  limit: string;
  value: number;
}

/** What happened, a line each: turns, whole messages, retries, limits and queues (`queue: steering | follow-ups`). The rest is left out. */
export function story(events: readonly Told[]): string[] {
  return events.flatMap((told) => {
    const event = told as Told & Fields;
    switch (event.type) {
      case "agent_start":
      case "agent_end":
      case "agent_settled":
      case "turn_start":
      case "turn_end":
        return [event.type];
      case "message_end":
        return [describeMessage(event.message)];
      case "queue_update":
        return [`queue: ${event.steering.join(", ")} | ${event.followUp.join(", ")}`];
      case "auto_retry_start":
        return [`retry ${event.attempt} of ${event.maxAttempts}`];
      case "auto_retry_end":
        return [`retry over at ${event.attempt}: ${event.success ? "success" : event.finalError}`];
      case "limit_reached":
        return [`limit ${event.limit} ${event.value}`];
      default:
        return [];
    }
  });
}

/** What ends a run that was aborted while no answer was being given: a turn of nothing but a message that says so. */
export const abortedTurn: readonly string[] = ["turn_start", "assistant:  [aborted]", "turn_end"];

/** Roles with texts; what failed is marked. */
export function describeMessage({ role, content, stopReason }: Fields["message"]): string {
  const mark = stopReason === "error" || stopReason === "aborted" ? ` [${stopReason}]` : "";
  return `${role}: ${textOf(content)}${mark}`.trimEnd();
}

function textOf(content: unknown): string {
  if (!Array.isArray(content)) return String(content);
  return content.map((block: { type: string; text?: string }) => block.text ?? `(${block.type})`).join(" ");
}
