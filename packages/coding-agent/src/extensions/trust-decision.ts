import { fileLimits, readWhole } from "@pikit/ai/files";
import { SessionError } from "../errors.ts";
import { absentUser, type UserInterface } from "../user-interface.ts";
import type { ExtensionFactory } from "./api.ts";
import { createEventBus } from "./event-bus.ts";
import { type ExtensionPlaces, findExtensions } from "./find-extensions.ts";
import { callHandlers, resultOf } from "./handler-results.ts";
import { HandlerRunner } from "./handler-runner.ts";
import { loadExtensions } from "./load-extensions.ts";
import { RegistryView } from "./model-registry-view.ts";
import { ModuleLoader } from "./module-loader.ts";
import type { SessionAccess } from "./session-access.ts";
import { SessionReader } from "./session-reader.ts";

export interface TrustOptions {
  /** The working folder. */
  cwd: string;
  agentDir: string;
  user: UserInterface;
  /** The places of extensions without those of the project. */
  places: ExtensionPlaces;
  factories: readonly ExtensionFactory[];
  loadLibrary?: (() => Promise<object>) | undefined;
  /** The time limit of a handler, in milliseconds. Waiting for the user does not count. */
  limitMs: number;
}

/** The decision of an extension about a project. */
export interface TrustDecision {
  trusted: boolean;
  remember: boolean;
}

/**
 * Asks the extensions whether a project is trusted. Only those whose code mentions the event are loaded. Never rejects.
 *
 * @returns Undefined if none has decided.
 */
export async function decideTrust(options: TrustOptions): Promise<TrustDecision | undefined> {
  const { cwd, agentDir, user, loadLibrary, limitMs } = options;
  const factories = options.factories.filter((factory) => mentionsEvent(String(factory)));
  const { files } = await findExtensions(options.places);
  const codes = await Promise.all(files.map(({ path }) => readWhole(path, fileLimits.extension).then(String, () => "")));
  const named = files.filter((_file, index) => mentionsEvent(codes[index] ?? ""));
  if (factories.length + named.length === 0) return undefined;
  const loader = new ModuleLoader(agentDir, loadLibrary);
  const session = sessionToCome(cwd, user);
  const { extensions } = await loadExtensions({
    ...{ folders: [], named, factories },
    loadModule: (path) => loader.load(path),
    session: () => session,
    events: createEventBus(() => {}),
    flagValues: new Map(),
    onRegistered() {},
    report() {},
  });
  const parts = {
    session,
    reader: new SessionReader(() => session.conversation),
    models: new RegistryView(() => session.registry),
  };
  const runner = new HandlerRunner({ ...parts, onAsking: () => () => {} }, limitMs);
  const event = () => ({ type: "project_trust" as const, cwd });
  for await (const outcome of callHandlers({ extensions, runner, session }, "project_trust", event)) {
    const { trusted, remember = false } = resultOf<"project_trust">(outcome);
    if (trusted === "yes" || trusted === "no") return { trusted: trusted === "yes", remember };
  }
  return undefined;
}

function mentionsEvent(code: string): boolean {
  return code.includes("project_trust");
}

/** Stands in for the session, which does not exist yet. */
function sessionToCome(cwd: string, user: UserInterface): SessionAccess {
  const known: Partial<SessionAccess> = {
    ...{ cwd, user, mode: user.mode ?? "print" },
    emit: (event) => (user.notify ?? absentUser.notify)(`${event.extensionPath}: ${event.error}`, "error"),
  };
  return new Proxy(known as SessionAccess, {
    get(target, name) {
      if (Object.hasOwn(target, name)) return Reflect.get(target, name) as unknown;
      throw new SessionError(
        "invalid_input",
        "There is no session yet: whether the project is trusted is decided before. Use cwd, mode, hasUI and ui.",
      );
    },
  });
}
