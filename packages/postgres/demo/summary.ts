import type { Facts } from "./facts.ts";

/** Counts of what has happened, as one line. */
export function summaryOf({ told, ledger, answers, sessions, disturbedWorkers }: Facts): string {
  const entries = sessions.flatMap((session) => session.entries);
  const unknown = entries.filter(({ role, text = "" }) => role === "toolResult" && text.startsWith("The result is unknown")).length;
  const openings = [...Map.groupBy(told, ({ session }) => session).values()].map(
    (messages) => new Set(messages.map(({ run }) => run)).size,
  );
  const finals = answers.filter(({ isFinal }) => isFinal);
  const again = finals.length - new Set(finals.map(({ task }) => task)).size;
  return [
    `${told.length} messages told`,
    `${entries.length} entries stored`,
    `${ledger.length} notes written`,
    `${openings.reduce((sum, count) => sum + count, 0)} openings of sessions`,
    `${unknown} unknown results`,
    `${again} last answers asked for again`,
    `${disturbedWorkers.size} workers disturbed`,
  ].join(", ");
}
