import { ownTurn } from "@pikit/ai";
import type { Conversation } from "../../conversation/conversation.ts";
import type { SessionStore } from "../../conversation/session-store.ts";
import { SessionError } from "../../errors.ts";
import { describeUnsupported } from "../../runtime.ts";
import { AgentSession } from "../agent-session.ts";
import { observeNewSession } from "../each-session.ts";
import type { CreateAgentSessionOptions, EntryPointOptions } from "../options.ts";
import { type Configuration, readConfiguration } from "./configuration.ts";
import { openConversation } from "./conversation.ts";
import { createCore } from "./core.ts";
import { bindExtensions } from "./extensions.ts";
import { createHistory } from "./history.ts";
import { prepareModels } from "./models.ts";
import { createPrompts } from "./prompts.ts";
import { createRunner } from "./runner.ts";
import { createSetup, type ParentSession, type Setup } from "./setup.ts";
import { createSupervision } from "./supervision.ts";
import { createTools } from "./tools.ts";

/** Creates a session; see `createAgentSession` of `index.ts`. */
export function createAgentSession(options: CreateAgentSessionOptions & EntryPointOptions = {}): Promise<AgentSession> {
  return openSession(options, undefined);
}

/** @param parent - The session that delegates to this one; undefined for the session of a user. */
async function openSession(
  options: CreateAgentSessionOptions & EntryPointOptions,
  parent: ParentSession | undefined,
): Promise<AgentSession> {
  const unsupported = describeUnsupported();
  if (unsupported !== undefined) throw new SessionError("unsupported_runtime", unsupported);
  /** Clean-up functions, the latest first. */
  const undo: (() => unknown)[] = [];
  const setup = createSetup(options, { parent, openTask: openSession, onFailure: (end) => undo.unshift(end) });
  // Hundreds may be created at the same time.
  await ownTurn();
  const { store, conversation } = await openConversation(setup);
  try {
    return await assemble(setup, store, conversation);
  } catch (error) {
    // Errors of the clean-up are ignored: the first error is the cause.
    for (const end of undo) await Promise.resolve(end()).catch(() => undefined);
    // Not in `undo`, which lives as long as the session and would keep the conversation in memory after the session has left it.
    await conversation.close();
    throw error;
  }
}

/** Creates the parts of a session one after another, each from the earlier ones, and then the session. */
async function assemble(setup: Setup, store: SessionStore, conversation: Conversation): Promise<AgentSession> {
  const { cwd } = conversation.header;
  const configuration = await readConfiguration(setup, cwd);
  const context = await conversation.readContext();
  const models = await prepareModels(setup, configuration, context, cwd);
  const core = createCore(configuration, models, conversation, context);
  const supervision = await createSupervision(setup, configuration, core);
  const tools = await createTools(setup, configuration, core, supervision);
  const prompts = createPrompts(setup, configuration, core, tools);
  const runner = createRunner({ setup, configuration, core, supervision, tools, prompts });
  const history = await createHistory({ store, configuration, core, supervision, tools, runner });
  const parts = { user: setup.user, ...configuration, ...core, ...supervision, ...tools, ...prompts, ...runner, history };
  const session = new AgentSession(parts);
  setup.onFailure(() => session.dispose());
  if (setup.options.name !== undefined) await giveName(session, setup.options.name);
  reportProblems(setup, configuration);
  await addThemes(setup, configuration);
  await bindExtensions(session, parts, { setup, configuration, supervision, tools });
  if (!setup.parent) await observeNewSession(session, setup.report);
  if (setup.options.autoStart !== false) await session.start();
  return session;
}

async function giveName({ history }: AgentSession, name: string): Promise<void> {
  if (name !== history.name) await history.setName(name);
}

/** The terminal has had the user's themes before there is a session. */
async function addThemes({ parent, user }: Setup, { resources, settings }: Configuration): Promise<void> {
  if (!parent) user.terminal?.addThemes(await resources.themePlaces(settings));
}

function reportProblems({ parent, report }: Setup, { resources, extensions }: Configuration): void {
  // A sub-task has the same problems as the delegating session, which has reported them.
  if (parent) return;
  for (const problem of [...resources.problems, ...(extensions?.problems ?? [])]) report(problem);
}
