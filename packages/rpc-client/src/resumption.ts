import { existsSync } from "node:fs";
import type { CommandName, CommandParams, SessionState, StreamMode } from "./protocol-types.ts";

/** A command that is sent to a new process before any other command. */
export interface FirstCommand {
  command: CommandName;
  params: object;
}

/** Commands whose settings the agent does not store in the session file. */
const settings: ReadonlySet<CommandName> = new Set<CommandName>([
  "set_steering_mode",
  "set_follow_up_mode",
  "set_interrupt_mode",
  "set_auto_retry",
  "set_auto_compaction",
  "set_stream_mode",
  "set_model",
  "set_thinking_level",
]);

/** Commands that change to another session file. */
const moves: ReadonlySet<CommandName> = new Set<CommandName>(["new_session", "switch_session", "fork", "clone"]);

/** Keeps the state that a new process needs to continue after a crash: the session file, and the settings that are not in it. */
export class Resumption {
  readonly #settings = new Map<CommandName, object>();
  #sessionFile: string | undefined;
  #sessionId: string | undefined;

  /** The id of the session; undefined before it is known. */
  get sessionId(): string | undefined {
    return this.#sessionId;
  }

  /** How answers are streamed, if this program has set it. */
  get streamMode(): StreamMode | undefined {
    return (this.#settings.get("set_stream_mode") as CommandParams<"set_stream_mode"> | undefined)?.mode;
  }

  /** The session file; undefined if the file does not exist yet, so that a new session loses nothing. */
  get sessionFile(): string | undefined {
    return this.#sessionFile !== undefined && existsSync(this.#sessionFile) ? this.#sessionFile : undefined;
  }

  /** The settings, in the order in which they were set. */
  get commands(): FirstCommand[] {
    return [...this.#settings].map(([command, params]) => ({ command, params }));
  }

  /** Whether the session file may be another one after this command. */
  isMove(command: CommandName): boolean {
    return moves.has(command);
  }

  noteSession(sessionId: string): void {
    this.#sessionId = sessionId;
  }

  noteState(state: unknown): void {
    const { sessionFile, sessionId } = (state ?? {}) as Partial<SessionState>;
    this.#sessionFile = sessionFile ?? undefined;
    this.#sessionId = sessionId ?? this.#sessionId;
  }

  /** Notes a successful command. */
  noteCommand(command: CommandName, params: object, data: unknown): void {
    if (settings.has(command)) this.#set(command, params);
    if (command === "switch_session") {
      // The other session has its own model and level.
      this.#settings.delete("set_model");
      this.#settings.delete("set_thinking_level");
    }
    if (data === null || typeof data !== "object") return;
    if (command === "cycle_thinking_level" && "level" in data) this.#set("set_thinking_level", { level: data.level });
    if (command === "cycle_model" && "model" in data) {
      const { provider, id } = data.model as { provider: string; id: string };
      this.#set("set_model", { provider, modelId: id } satisfies CommandParams<"set_model">);
    }
  }

  clear(): void {
    this.#settings.clear();
    this.#sessionFile = undefined;
    this.#sessionId = undefined;
  }

  /** The latest setting is sent last, because the thinking level depends on the model. */
  #set(command: CommandName, params: object): void {
    this.#settings.delete(command);
    this.#settings.set(command, params);
  }
}
