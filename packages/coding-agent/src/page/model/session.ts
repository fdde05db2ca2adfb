import type { Attachment } from "@pikit/agent";
import type { CommandData } from "../../protocol/commands.ts";
import type { Resync } from "../../protocol/connection.ts";
import type { SessionState, SessionStats } from "../../protocol/data.ts";
import { formatCost } from "../../render/format.ts";
import type { Api, ApiError } from "../wire/api.ts";
import { Commands } from "../wire/commands.ts";
import { Connection, type ConnectionState } from "../wire/connection.ts";
import type { Frame, QuestionFrame } from "../wire/frames.ts";
import { Conversation, type ConversationListener } from "./conversation.ts";
import { Questions } from "./questions.ts";

export type Model = CommandData<"get_available_models">["models"][number];
export type ThinkingLevel = SessionState["thinkingLevel"];

/** Called when the state around the conversation changes. */
export interface SessionListener extends ConversationListener {
  onChange(): void;
  /** Something that a screen reader says. */
  onAnnounce(text: string): void;
  /** A text that an extension puts into the prompt. */
  onDraft(text: string): void;
  /** The session has another id, for example because another client forked it. */
  onMoved(id: string): void;
}

/** One session as the page shows it: its conversation, its state, and what the user can do. */
export class Session {
  readonly id: string;
  readonly conversation: Conversation;
  readonly questions = new Questions();
  readonly commands: Commands;
  connection: ConnectionState = { name: "connecting" };
  state: SessionState | undefined;
  stats: SessionStats | undefined;
  models: readonly Model[] = [];
  levels: readonly ThinkingLevel[] = [];
  /** Whether a prompt is at work. */
  isStreaming = false;
  isCompacting = false;
  queued: { steering: readonly string[]; followUp: readonly string[] } = { steering: [], followUp: [] };
  /** Texts of extensions, by their keys. */
  readonly statuses = new Map<string, string>();
  readonly widgets = new Map<string, readonly string[]>();
  /** Whether the history is being read. */
  isLoading = true;
  readonly #connection: Connection;
  readonly #listener: SessionListener;
  #isClosed = false;
  #readsState = false;

  constructor(api: Api, id: string, listener: SessionListener) {
    this.id = id;
    this.#listener = listener;
    this.conversation = new Conversation(listener);
    this.#connection = new Connection({
      api,
      session: id,
      onFrame: (frame) => this.#onFrame(frame),
      onState: (state) => this.#onConnection(state),
    });
    this.commands = new Commands(api, id, this.#connection);
  }

  /** Connects, and stays connected until `close`. */
  open(): void {
    void this.#connection.run();
  }

  close(): void {
    this.#isClosed = true;
    this.#connection.close();
  }

  /** Tries at once to connect again. */
  reconnect(): void {
    this.#connection.retryNow();
  }

  /** Sends a prompt: begins a run, or joins the one that is at work, also one of whose start no event has come yet. */
  async prompt(message: string, attachments: readonly Attachment[], during: "steer" | "followUp"): Promise<void> {
    const fields = { message, ...(attachments.length > 0 && { attachments: [...attachments] }) };
    await this.commands.run("prompt", { ...fields, streamingBehavior: during });
  }

  /** Sets the model, and reads the thinking levels that it has. */
  async setModel(provider: string, modelId: string): Promise<void> {
    await this.commands.run("set_model", { provider, modelId });
    await this.#readState();
    await this.#readLevels();
  }

  async setThinkingLevel(level: ThinkingLevel): Promise<void> {
    await this.commands.run("set_thinking_level", { level });
    await this.#readState();
  }

  /** Answers a question. It is closed at once; if the answer does not reach the server, it is opened again. */
  async answer(id: string, answer: { value?: string; confirmed?: boolean; cancelled?: boolean }): Promise<void> {
    const question = this.questions.open.find((each) => each.id === id);
    if (!question) return;
    this.questions.close(id);
    this.#listener.onChange();
    try {
      await this.commands.answer(id, answer);
    } catch (error) {
      this.questions.reopen(question);
      this.#listener.onChange();
      throw error;
    }
  }

  #onConnection(state: ConnectionState): void {
    this.connection = state;
    this.#listener.onChange();
  }

  #onFrame(frame: Frame): void {
    try {
      this.#use(frame);
    } catch (error) {
      // A message of another shape, from a file that another program wrote. The next frames are not affected.
      this.#fail(error);
    }
  }

  #use(frame: Frame): void {
    if (this.questions.apply(frame)) this.#listener.onChange();
    this.conversation.apply(frame);
    switch (frame.type) {
      case "ready":
        if (frame.sessionId !== this.id) this.#listener.onMoved(frame.sessionId);
        break;
      case "resync":
        this.#resync(frame);
        break;
      case "extension_ui_request":
        this.#show(frame);
        break;
      case "message_end":
        if (frame.message.role === "assistant") this.#announceAnswer(frame.message.content);
        break;
      case "tool_execution_start":
        this.#listener.onAnnounce(`Tool: ${frame.toolName}`);
        break;
      default:
        this.#onEvent(frame);
    }
  }

  #onEvent(frame: Frame): void {
    switch (frame.type) {
      case "agent_start":
        this.#setStreaming(true);
        void this.#readState();
        break;
      case "agent_settled":
        this.#setStreaming(false);
        void this.#readState();
        break;
      case "turn_end":
        void this.#readStats();
        break;
      case "queue_update":
        this.queued = frame;
        this.#listener.onChange();
        break;
      case "session_info_changed":
      case "thinking_level_changed":
        void this.#readState();
        break;
      case "compaction_start":
      case "compaction_end":
        this.isCompacting = frame.type === "compaction_start";
        if (frame.type === "compaction_end" && frame.result) this.#note("The earlier conversation was replaced by a summary.");
        this.#listener.onChange();
        void this.#readStats();
        break;
      default:
        this.#noteEvent(frame);
    }
  }

  /** Shows an event as a text between the messages. */
  #noteEvent(frame: Frame): void {
    const text = describeEvent(frame);
    if (text !== undefined) this.#note(text, frame.type === "error" || frame.type === "extension_error");
  }

  #resync(frame: Resync): void {
    this.conversation.resync(frame);
    this.isLoading = true;
    this.statuses.clear();
    this.widgets.clear();
    // From here on, events tell both. A response to get_state may be older than the latest event.
    this.isStreaming = frame.state.isStreaming;
    this.isCompacting = frame.state.isCompacting;
    this.#useState(frame.state);
    void this.#readHistory(frame.epoch);
    if (this.models.length === 0) void this.#readModels();
    void this.#readStats();
  }

  async #readHistory(epoch: string): Promise<void> {
    try {
      const { messages } = await this.commands.run("get_messages", {});
      // Another resync may have come meanwhile, with a history of its own.
      if (this.#isClosed || this.#connection.epoch !== epoch) return;
      this.isLoading = false;
      this.conversation.load(messages);
      this.#listener.onChange();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #readModels(): Promise<void> {
    try {
      const { models } = await this.commands.run("get_available_models", {});
      this.models = models;
      await this.#readLevels();
    } catch (error) {
      this.#fail(error);
    }
  }

  async #readLevels(): Promise<void> {
    const { levels } = await this.commands.run("get_available_thinking_levels", {});
    this.levels = levels;
    this.#listener.onChange();
  }

  async #readState(): Promise<void> {
    // Events come in groups.
    if (this.#readsState) return;
    this.#readsState = true;
    try {
      const state = await this.commands.run("get_state", {});
      this.#readsState = false;
      this.#useState(state);
      await this.#readStats();
    } catch (error) {
      this.#readsState = false;
      this.#fail(error);
    }
  }

  async #readStats(): Promise<void> {
    try {
      this.stats = await this.commands.run("get_session_stats", {});
      this.#listener.onChange();
    } catch {
      // The next turn reads them again.
    }
  }

  #useState(state: SessionState): void {
    if (this.#isClosed) return;
    this.state = state;
    this.#listener.onChange();
    if (state.sessionId !== this.id) this.#listener.onMoved(state.sessionId);
  }

  #setStreaming(isStreaming: boolean): void {
    this.isStreaming = isStreaming;
    this.#listener.onChange();
  }

  #show(frame: QuestionFrame): void {
    switch (frame.method) {
      case "notify":
        this.#note(frame.message, frame.notifyType === "error");
        break;
      case "setStatus":
        if (frame.statusText === undefined) this.statuses.delete(frame.statusKey);
        else this.statuses.set(frame.statusKey, frame.statusText);
        break;
      case "setWidget":
        if (frame.widgetLines === undefined) this.widgets.delete(frame.widgetKey);
        else this.widgets.set(frame.widgetKey, frame.widgetLines);
        break;
      case "set_editor_text":
        this.#listener.onDraft(frame.text);
        break;
      case "setTitle":
        break;
      default:
        this.#listener.onAnnounce(`Question: ${frame.title}`);
    }
    this.#listener.onChange();
  }

  #announceAnswer(content: readonly { type: string; text?: string }[]): void {
    const text = content.map((block) => (block.type === "text" ? (block.text ?? "") : "")).join("\n");
    if (text.trim() !== "") this.#listener.onAnnounce(`Assistant: ${text}`);
  }

  #note(text: string, isError = false): void {
    this.conversation.addNotice(text, isError);
    this.#listener.onAnnounce(text);
  }

  #fail(error: unknown): void {
    if (!this.#isClosed) this.#note(describeError(error), true);
  }
}

/** The text for an event that is shown between the messages; undefined for others. */
function describeEvent(frame: Frame): string | undefined {
  switch (frame.type) {
    case "auto_retry_start":
      return `The model call failed and is repeated (${frame.attempt} of ${frame.maxAttempts}): ${frame.errorMessage}`;
    case "limit_reached": {
      const value = frame.limit === "max-cost" ? formatCost(frame.value) : String(frame.value);
      return `The run ends: it has reached ${frame.limit} (${value}).`;
    }
    case "ttsr_triggered":
      return `The answer was stopped by a rule: ${frame.rules.map(({ name }) => name).join(", ")}`;
    case "todo_reminder":
      return "The model was reminded of its open tasks.";
    case "extension_error":
      return `${frame.extensionPath} failed: ${frame.error}`;
    case "error":
      return frame.error;
    default:
      return undefined;
  }
}

/** The text of an error. */
export function describeError(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The text for a session that the server refuses. */
export function describeRefusal({ status, message }: ApiError): string {
  return status === 404 ? "The server has no session of this id." : message;
}
