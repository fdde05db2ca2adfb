import type { AgentSession } from "./agent-session.ts";

/** Called with a new session before it starts. `report` is called with one line for each problem. Must not reject. */
export type NewSessionObserver = (session: AgentSession, report: (problem: string) => void) => Promise<void>;

let observer: NewSessionObserver | undefined;

/** Calls `observe` with each session of a user that this process creates from now on; not with those of sub-tasks. A later call replaces it. */
export function onEachSession(observe: NewSessionObserver): void {
  observer = observe;
}

/** Calls the observer of new sessions, if there is one. */
export async function observeNewSession(...args: Parameters<NewSessionObserver>): Promise<void> {
  await observer?.(...args);
}
