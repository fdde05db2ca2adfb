import { createHash } from "node:crypto";
import { sessionFolder } from "../../config/paths.ts";
import type { SessionChoice } from "../../conversation/choose-session.ts";
import { Conversation } from "../../conversation/conversation.ts";
import { FileSessionStore } from "../../conversation/file-store.ts";
import type { SessionStore } from "../../conversation/session-store.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import { createAgentSession } from "../../session/assemble/create.ts";
import type { CreateAgentSessionOptions } from "../../session/options.ts";
import { type BaseOptions, type ChatOptions, toSessionOptions } from "./chat-options.ts";
import type { ChatParams } from "./protocol.ts";

/** The type of the custom entry that says which key a session belongs to. */
const keyEntryType = "pikit.chat-key";

/** Whom all sessions ask and tell. */
export type SessionUsers = Pick<CreateAgentSessionOptions, "user" | "onCommandOutput" | "onPreview" | "onDelegation">;

/**
 * The sessions of chats, by key. The one of the last chat stays open, with the previews and background processes that it has, until a
 * chat with another key or other settings comes.
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
   * The session for a chat: the one that the key has had so far, or a new one, which is to be started.
   *
   * @throws {BadRequestError} {UsageError} {SessionError} {AiError} When it cannot be made or opened.
   */
  async open({ message: _message, images: _images, ...rest }: ChatParams): Promise<AgentSession> {
    const settings = JSON.stringify(rest);
    if (this.#open?.settings === settings) return this.#open.session;
    // First, so that what cannot be used closes nothing.
    const options = await toSessionOptions(this.#base, { ...rest, message: "" });
    await this.close();
    const store = options.store ?? new FileSessionStore(options.sessionDir ?? sessionFolder(options.cwd, this.#base.agentDir));
    const choice = await findOrBegin(store, rest.session_key ?? "default", options);
    const session = await createAgentSession({ ...options, ...this.#users, store, session: choice, autoStart: false });
    for (const line of session.history.diagnostics) options.onProblem?.(line);
    this.#open = { settings, session };
    return session;
  }

  /** Aborts what the open session does, and closes it. */
  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.session.dispose();
  }
}

/** A key is any text, and a session's id becomes part of a file name. */
function toSessionId(key: string): string {
  return `chat-${createHash("sha256").update(key).digest("hex").slice(0, 16)}`;
}

/** The session of the key and the folder. A new one is kept at once, so that its first entry is the key. */
async function findOrBegin(store: SessionStore, key: string, { cwd }: ChatOptions): Promise<SessionChoice> {
  const id = toSessionId(key);
  const known = (await store.list({ cwd, idPrefix: id })).find((info) => info.id === id);
  if (known) return { path: known.ref };
  const conversation = Conversation.create(store, { cwd, id });
  try {
    await conversation.append({ type: "custom", customType: keyEntryType, data: { key } });
    return { path: conversation.ref };
  } catch {
    return { id }; // it cannot be written: the session goes on in memory, and says why with its first message
  } finally {
    await conversation.close();
  }
}
