import { existsSync } from "node:fs";
import { SessionError } from "../errors.ts";
import { Conversation } from "./conversation.ts";
import type { SessionStore } from "./session-store.ts";

/**
 * Goes on with a session whose working folder is still there.
 *
 * @throws {SessionError} As the store's `open`; `not_found` when the folder is gone. The session is not kept open then.
 */
export async function openConversation(store: SessionStore, ref: string): Promise<Conversation> {
  const conversation = await Conversation.open(store, ref);
  const { cwd } = conversation.header;
  if (existsSync(cwd)) return conversation;
  await conversation.close();
  throw new SessionError("not_found", `The working folder of ${ref} is gone: ${cwd}. Restore it, or start a new session.`);
}
