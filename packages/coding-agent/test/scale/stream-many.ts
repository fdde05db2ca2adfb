// Streams answers in many sessions of one process at once. Started by many-sessions.test.ts with an IPC channel, on which it says what it
// sees as it happens, and in the end what each session told. Argument: the plan as JSON.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type AgentSession, type AgentSessionEvent, createAgentSession } from "@pikit/coding-agent";
import type { Kind } from "./kinds.ts";

export interface Plan {
  root: string;
  /** One session each. */
  kinds: readonly Kind[];
  /** Deltas that the server sends to each session at a time. */
  deltasPerWave: number;
}

/** What a session told, and what is left of it. */
export interface SessionReport {
  /** The types of all events; those of the answer for updates. */
  events: string[];
  /** The text of the last answer. */
  text: string | null;
  sessionFile: string | null;
}

export type ManySessionsMessage =
  /** Half of the sessions have handled so many waves; and by how many deltas the last one is behind the one in the middle. */
  | { type: "wave"; wave: number; behind: number }
  /** A session has settled. */
  | { type: "settled"; session: number }
  | { type: "end"; reports: SessionReport[] };

const plan = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as Plan;
const reports: SessionReport[] = [];
/** Deltas of the last answer that each session has handled. */
const handled = plan.kinds.map(() => 0);
let waves = 0;
let sessionsInWave = 0;

const sessions = await Promise.all(plan.kinds.map((kind) => open(kind)));
for (const [index, session] of sessions.entries()) session.subscribe((event) => record(index, event));
await Promise.all(
  sessions.map(async (session, index) => {
    await session.prompt(`Prompt ${index}`);
    Object.assign(reports[index] as SessionReport, { text: session.lastAssistantText(), sessionFile: session.sessionFile });
    await session.dispose();
    send({ type: "settled", session: index });
  }),
);
process.send?.({ type: "end", reports } satisfies ManySessionsMessage, () => process.disconnect());

function open({ model, isStored }: Kind): Promise<AgentSession> {
  reports.push({ events: [], text: null, sessionFile: null });
  const folders = { cwd: join(plan.root, "work"), agentDir: join(plan.root, "agent") };
  return createAgentSession({ ...folders, model, session: isStored ? "new" : "memory" });
}

function record(index: number, event: AgentSessionEvent): void {
  const update = event.type === "message_update" ? event.assistantMessageEvent : undefined;
  reports[index]?.events.push(update?.type ?? event.type);
  if (update?.type !== "text_delta") return;
  const count = (handled[index] ?? 0) + 1;
  handled[index] = count;
  if (count !== (waves + 1) * plan.deltasPerWave) return;
  sessionsInWave += 1;
  if (sessionsInWave < Math.ceil(handled.length / 2)) return;
  waves += 1;
  send({ type: "wave", wave: waves, behind: count - Math.min(...handled) });
  sessionsInWave = handled.filter((deltas) => deltas >= (waves + 1) * plan.deltasPerWave).length;
}

function send(message: ManySessionsMessage): void {
  process.send?.(message);
}
