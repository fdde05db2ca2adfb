import { createHash } from "node:crypto";
import { findSessionFolder } from "../../config/session-dir.ts";
import type { SessionChoice } from "../../conversation/choose-session.ts";
import { Conversation } from "../../conversation/conversation.ts";
import { FileSessionStore } from "../../conversation/file-store.ts";
import type { SessionStore } from "../../conversation/session-store.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import { createAgentSession } from "../../session/assemble/create.ts";
import type { CreateAgentSessionOptions } from "../../session/options.ts";
import { type BaseOptions, type ChatOptions, toSessionOptions } from "./chat-options.ts";
import type { ChatParams } from "./protocol.ts";

/** The type of the custom entry that holds the key of a session. */
const keyEntryType = "pikit.chat-key";

/** The user interface and the listeners of all sessions. */
export type SessionUsers = Pick<CreateAgentSessionOptions, "user" | "onCommandOutput" | "onPreview" | "onDelegation">;

/**
 * The sessions of chats, by key. The session of the last chat stays open, with its previews and background processes, until a chat with
 * another key or other settings starts.
 */
export class ChatSessions {
  readonly #base: BaseOptions;
  readonly #users: SessionUsers;
  #open: { settings: string; session: AgentSession } | undefined;

  constructor(base: BaseOptions, users: SessionUsers) {
    this.#base = base;
    this.#users = users;
  }

  /**
   * Opens the session for a chat: the existing session of its key, or a new one, which the caller must start.
   *
   * @throws {BadRequestError} {UsageError} {SessionError} {AiError} When the session cannot be created or opened.
   */
  async open({ message: _message, images: _images, ...rest }: ChatParams): Promise<AgentSession> {
    const settings = JSON.stringify(rest);
    if (this.#open?.settings === settings) return this.#open.session;
    // Before `close`, so that invalid options do not close the open session.
    const options = await toSessionOptions(this.#base, { ...rest, message: "" });
    await this.close();
    const store =
      options.store ??
      new FileSessionStore(findSessionFolder({ cwd: options.cwd, agentDir: this.#base.agentDir, given: options.sessionDir }));
    const choice = await findOrBegin(store, rest.session_key ?? "default", options);
    const session = await createAgentSession({ ...options, ...this.#users, store, session: choice, autoStart: false });
    for (const line of session.history.diagnostics) options.onProblem?.(line);
    this.#open = { settings, session };
    return session;
  }

  /** Aborts the run of the open session and closes the session. */
  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.session.dispose();
  }
}

/** A key is any text, but the id of a session becomes part of a file name. */
function toSessionId(key: string): string {
  return `chat-${createHash("sha256").update(key).digest("hex").slice(0, 16)}`;
}

/** Finds or creates the session of a key and a folder. A new session is stored at once, so that the key is its first entry. */
async function findOrBegin(store: SessionStore, key: string, { cwd }: ChatOptions): Promise<SessionChoice> {
  const id = toSessionId(key);
  const known = (await store.list({ cwd, idPrefix: id })).find((info) => info.id === id);
  if (known) return { path: known.ref };
  const conversation = Conversation.create(store, { cwd, id });
  try {
    await conversation.append({ type: "custom", customType: keyEntryType, data: { key } });
    return { path: conversation.ref };
  } catch {
    return { id }; // writing failed: the session continues in memory, and reports the reason with its first message
  } finally {
    await conversation.close();
  }
}
