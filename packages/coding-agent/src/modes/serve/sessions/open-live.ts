import type { SessionChoice } from "../../../conversation/choose-session.ts";
import { createAgentSession } from "../../../session/assemble/create.ts";
import type { CreateAgentSessionOptions } from "../../../session/options.ts";
import { absentUser } from "../../../user-interface.ts";
import type { KeptOptions } from "../http/route-schemas.ts";
import { LiveSession } from "../live/live-session.ts";
import type { ServeOptions } from "../serve-options.ts";
import type { LiveStore } from "./stored-sessions.ts";

/** The session to open or begin. */
export interface Opening {
  cwd: string;
  choice: SessionChoice;
  options: KeptOptions;
  takeOverLock?: boolean;
  name?: string | undefined;
  /** Whether the options must be stored, even if there are none: the session is not stored itself yet. */
  isNew: boolean;
}

/**
 * Opens a session and keeps its options, before a prompt can run. Problems of its configuration are reported, and do not stop it.
 *
 * @param store - Undefined for a session in memory.
 */
export async function openLive(opening: Opening, store: LiveStore | undefined, serve: ServeOptions): Promise<LiveSession> {
  const { cwd, choice, options, takeOverLock = false, name, isNew } = opening;
  const { agentDir, report, loadLibrary, limits, sandbox } = serve;
  const session = await createAgentSession({
    ...(options as CreateAgentSessionOptions),
    ...(store && { store }),
    ...(name === undefined ? {} : { name }),
    ...(sandbox === undefined ? {} : { sandbox }),
    ...{ cwd, agentDir, session: choice, takeOverLock, loadLibrary, autoStart: false, awaitsHostModels: true },
    onProblem: report,
    user: { ...absentUser, notify: report },
  });
  try {
    await store?.keep(session, isNew);
    for (const line of session.history.diagnostics) report(line);
    return new LiveSession(session, limits);
  } catch (error) {
    await session.dispose();
    throw error;
  }
}
