import { findSessionFolder } from "../../config/session-dir.ts";
import { Conversation } from "../../conversation/conversation.ts";
import { MemorySessionStore } from "../../conversation/memory-store.ts";
import type { SessionStore } from "../../conversation/session-store.ts";
import type { Setup } from "./setup.ts";

/** Begins the conversation of a session, or opens one. */
export async function openConversation({ options, report }: Setup): Promise<{ store: SessionStore; conversation: Conversation }> {
  const { cwd, session: choice = "new", takeOverLock = false } = options;
  const store =
    choice === "memory" ? new MemorySessionStore({ keepClosed: false }) : (options.store ?? (await createStore(options)));
  if (choice === "new" || choice === "memory") return { store, conversation: Conversation.create(store, { cwd }) };
  const { chooseSession } = await import("../../conversation/choose-session.ts");
  return { store, conversation: await chooseSession(store, choice, cwd, { report, takeOverLock }) };
}

async function createStore({ cwd, agentDir, sessionDir, userSettings }: Setup["options"]): Promise<SessionStore> {
  const { FileSessionStore } = await import("../../conversation/file-store.ts");
  const folder = findSessionFolder({ cwd, agentDir, given: sessionDir, settings: userSettings?.settings });
  return new FileSessionStore(folder);
}
