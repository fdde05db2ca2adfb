import { resolve } from "node:path";
import { readStart } from "@pikit/ai/files";
import { sessionFolder } from "../../../config/paths.ts";
import type { SessionChoice } from "../../../conversation/choose-session.ts";
import { createAgentSession } from "../../../session/assemble/create.ts";
import type { CreateAgentSessionOptions } from "../../../session/options.ts";
import { absentUser } from "../../../user-interface.ts";
import type { KeptOptions } from "../http/route-schemas.ts";
import { LiveSession } from "../live/live-session.ts";
import type { ServeOptions } from "../serve-options.ts";
import { keptFileOf, writeKept } from "./kept-options.ts";
import { RootedStore } from "./rooted-store.ts";
import type { Roots } from "./roots.ts";

/** Bytes of the beginning of a session file in which the choice of a model is looked for: it comes before the first message. */
const choiceBytes = 64 * 1024;

/** The session to open or begin. */
export interface Opening {
  cwd: string;
  choice: SessionChoice;
  options: KeptOptions;
  takeOverLock?: boolean;
  name?: string | undefined;
  /** Whether the options must be stored, even if there are none: the session has no file of its own yet. */
  isNew: boolean;
}

/** Opens a session and keeps its options, before a prompt can run. Problems of its configuration are reported, and do not stop it. */
export async function openLive(opening: Opening, roots: Roots, serve: ServeOptions): Promise<LiveSession> {
  const { cwd, choice, options, takeOverLock = false, name, isNew } = opening;
  const { agentDir, sessionDir, report, loadLibrary, limits } = serve;
  const ownFile = typeof choice === "object" && "path" in choice ? choice.path : undefined;
  const folder = resolve(sessionDir ?? sessionFolder(cwd, agentDir));
  const session = await createAgentSession({
    ...(options as CreateAgentSessionOptions),
    ...(choice === "memory" ? {} : { store: new RootedStore(folder, { roots, options, ownFile }) }),
    ...(name === undefined ? {} : { name }),
    ...{ cwd, agentDir, session: choice, takeOverLock, loadLibrary, autoStart: false },
    onProblem: report,
    user: { ...absentUser, notify: report },
  });
  try {
    const { sessionFile, sessionId, history } = session;
    const hasOptions = Object.keys(options).length > 0;
    if (sessionFile !== null && (isNew || hasOptions)) {
      writeKept(keptFileOf(sessionFile), { id: sessionId, cwd: session.cwd, createdAt: history.header.timestamp, options });
    }
    for (const line of history.diagnostics) report(line);
    return new LiveSession(session, limits);
  } catch (error) {
    await session.dispose();
    throw error;
  }
}

/**
 * The kept options of a stored session, for opening it again. The model and the level that the session has recorded itself are newer than
 * those of the request that began it.
 */
export async function stillValid(options: KeptOptions, sessionFile: string): Promise<KeptOptions> {
  const { bytes } = await readStart(sessionFile, choiceBytes);
  if (!bytes.includes('"model_change"')) return options;
  const { model: _model, provider: _provider, thinkingLevel: _level, ...others } = options;
  return others;
}
