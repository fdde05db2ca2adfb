import { createScriptedModel, type Script, type ScriptedAnswer } from "@pikit/ai";
import { onTestFinished } from "vitest";
import type { AgentSession } from "../../src/session/agent-session.ts";
import { createAgentSession } from "../../src/session/assemble/create.ts";
import type { AgentSessionEvent } from "../../src/session/events.ts";
import type { CreateAgentSessionOptions } from "../../src/session/options.ts";
import type { Workspace } from "./workspace.ts";

export interface ScriptedSession {
  session: AgentSession;
  /** Everything that the session has told so far. */
  events: AgentSessionEvent[];
}

/** A session in the workspace that answers from a script; disposed of when the test is over. */
export async function createScriptedSession(
  workspace: Workspace,
  script: Script | readonly ScriptedAnswer[],
  options: CreateAgentSessionOptions = {},
): Promise<ScriptedSession> {
  return openSession(workspace, { model: createScriptedModel({ script }), ...options });
}

/** A session in the workspace, with everything that it tells; disposed of when the test is over. */
export async function openSession(workspace: Workspace, options: CreateAgentSessionOptions = {}): Promise<ScriptedSession> {
  const session = await createAgentSession({ cwd: workspace.cwd, agentDir: workspace.agentDir, ...options });
  onTestFinished(() => session.dispose());
  const events: AgentSessionEvent[] = [];
  session.subscribe((event) => void events.push(event));
  return { session, events };
}

/** Resolves with the first event from now on that `isWanted` accepts. */
export function nextEvent(session: AgentSession, isWanted: (event: AgentSessionEvent) => boolean): Promise<AgentSessionEvent> {
  return new Promise((resolve) => {
    const end = session.subscribe((event) => {
      if (!isWanted(event)) return;
      end();
      resolve(event);
    });
  });
}

export function isToolStart(event: AgentSessionEvent): boolean {
  return event.type === "tool_execution_start";
}

/** A script that calls bash, then answers "Done." */
export function bashThenDone(command: string): ScriptedAnswer[] {
  return [{ text: "Looking.", toolCalls: [{ name: "bash", arguments: { command } }] }, { text: "Done." }];
}

/** The events by what they are: types, with roles, tools and texts; updates are left out. */
export function outline(events: readonly AgentSessionEvent[]): string[] {
  return events.flatMap((event) => {
    switch (event.type) {
      case "message_update":
      case "tool_execution_update":
        return [];
      case "message_start":
      case "message_end":
        return [`${event.type} ${event.message.role}`];
      case "tool_execution_start":
        return [`${event.type} ${event.toolName}`];
      case "tool_execution_end":
        return [`${event.type} ${event.toolName}${event.isError ? " (error)" : ""}`];
      case "error":
        return [`error: ${event.error}`];
      default:
        return [event.type];
    }
  });
}
