import { existsSync } from "node:fs";
import { SessionError } from "../errors.ts";
import { Conversation } from "./conversation.ts";
import type { SessionLockOptions, SessionStore } from "./session-store.ts";

/**
 * Opens a session whose working folder still exists.
 *
 * @throws {SessionError} Like the store's `open`; `not_found` when the folder does not exist. The session is then closed.
 */
export async function openConversation(store: SessionStore, ref: string, options?: SessionLockOptions): Promise<Conversation> {
  const conversation = await Conversation.open(store, ref, options);
  const { cwd } = conversation.header;
  if (existsSync(cwd)) return conversation;
  await conversation.close();
  throw new SessionError(
    "not_found",
    `The working folder of ${ref} does not exist any more: ${cwd}. Restore it, or start a new session.`,
  );
}
