import type { SessionUpdate } from "@agentclientprotocol/sdk";
import type { AssistantMessage } from "@pikit/ai";
import { createLocalProcesses, type LocalProcesses } from "../../exec/run-process.ts";
import type { AgentSession } from "../../session/agent-session.ts";
import { createAgentSession } from "../../session/assemble/create.ts";
import type { CreateAgentSessionOptions, EntryPointOptions } from "../../session/options.ts";
import { localFiles } from "../../tools/files/local-files.ts";
import { readWholeFile } from "../../tools/files/read-whole-file.ts";
import type { TraceContext } from "../../trace-context.ts";
import type { AcpOutput } from "./acp-output.ts";
import { AcpUser } from "./acp-user.ts";
import { SessionChoices } from "./config-options.ts";
import { editorFiles } from "./editor-files.ts";
import { editorTerminal } from "./editor-terminal.ts";
import { errorCodes, type JsonRpc, type RequestId, RpcError } from "./json-rpc.ts";
import { toPromptInput } from "./prompt-content.ts";
import type { ClientCapabilities, PromptPart } from "./protocol.ts";
import { replay } from "./replay.ts";
import { SessionView, toUsage } from "./session-view.ts";

export type OpenOptions = CreateAgentSessionOptions & EntryPointOptions & { cwd: string };

export interface OpenParts {
  rpc: JsonRpc;
  capabilities: ClientCapabilities;
  /** The request that opens the session. */
  requestId: RequestId;
  output: AcpOutput;
}

export type StopReason = "end_turn" | "max_tokens" | "max_turn_requests" | "cancelled";

/** Maximum bytes of a file whose text is shown as the old side of a diff. */
const maxOldText = 1_000_000;

/** An open session of an editor. */
export class AcpSession {
  readonly session: AgentSession;
  readonly choices: SessionChoices;
  readonly #parts: OpenParts & { local: LocalProcesses };
  readonly #view: SessionView;
  readonly #unsubscribe: () => void;
  #isCancelled = false;
  #commands = "";

  private constructor(session: AgentSession, parts: OpenParts & { local: LocalProcesses }, view: SessionView) {
    this.session = session;
    this.choices = new SessionChoices(session);
    this.#parts = parts;
    this.#view = view;
    this.#unsubscribe = session.subscribe((event) => {
      if (event.type === "thinking_level_changed") void this.tellOptions();
      return view.handleEvent(event);
    });
  }

  /** Opens a session with the files and the terminals of the editor. @throws The errors of `createAgentSession`. */
  static async open(options: OpenOptions, parts: OpenParts): Promise<AcpSession> {
    const { rpc, capabilities } = parts;
    let opened: AgentSession | undefined;
    let view: SessionView | undefined;
    const sessionId = () => opened?.sessionId ?? "";
    const send = (update: SessionUpdate) => parts.output.send(toMessage(sessionId(), update));
    const user = new AcpUser({ ...parts, send, hasCall: (id) => view?.hasCall(id) ?? false });
    const files = editorFiles(rpc, capabilities, options.cwd, sessionId);
    // Of extensions; commands of tools run in terminals of the editor.
    const local = createLocalProcesses();
    const show = (toolCallId: string, terminalId: string) => view?.showTerminal(toolCallId, terminalId);
    opened = await createAgentSession({
      ...{ ...options, user, autoStart: false },
      ...(files ? { files } : {}),
      ...(capabilities.terminal ? { runProcess: editorTerminal({ rpc, sessionId, show }, local.run), runsLocally: true } : {}),
    });
    const readOldText = (path: string) => readText(files ?? localFiles, path);
    view = new SessionView({ session: opened, capabilities, send, readOldText });
    user.open(opened.sessionId);
    return new AcpSession(opened, { ...parts, local }, view);
  }

  /** The fields of the response that opens the session. */
  async describe() {
    return { modes: this.choices.modes, configOptions: await this.choices.options() };
  }

  /** Tells the editor what it shows beside the conversation. Call it after the response that has the id of the session. */
  async begin(): Promise<void> {
    const { name } = this.session.history;
    if (name !== null) this.#send({ sessionUpdate: "session_info_update", title: name });
    const usage = toUsage(this.session);
    if (usage) this.#send(usage);
    await this.#tellCommands();
    await this.session.start();
  }

  /** Sends the whole conversation. */
  async replay(): Promise<void> {
    for await (const updates of replay(this.session)) {
      for (const update of updates) this.#send(update);
      // A long conversation waits for a slow editor.
      await this.#parts.output.flush();
    }
  }

  /**
   * Runs a prompt to its end. During a run it is added to that run.
   *
   * @param trace - The trace that the run belongs to.
   * @throws {RpcError} When the model or its provider has failed, and for prompts that cannot be sent. {SessionError} When it was refused.
   */
  async prompt(parts: readonly PromptPart[], trace?: TraceContext): Promise<StopReason> {
    const input = toPromptInput(parts);
    const instructions = /^\/compact(?:\s+(?<instructions>[\s\S]*))?$/.exec(input.text)?.groups;
    if (instructions && !this.session.commands.find(input.text)) return this.#compact(instructions.instructions);
    this.#isCancelled = false;
    const first = this.session.messages.length;
    this.#view.expectPrompt();
    try {
      const { settled } = await this.session.submit(input.text, { ...input, streamingBehavior: "steer", trace });
      await settled;
      // A command of an extension may have started a run.
      await this.session.waitForIdle();
    } finally {
      this.#view.forgetPrompts();
    }
    await this.#tellCommands();
    return this.#readOutcome(first);
  }

  /** Aborts the run. The prompt that started it ends with `cancelled`. */
  async cancel(): Promise<void> {
    this.#isCancelled = true;
    await this.session.abort();
  }

  /** Tells the editor the modes, models and levels after a change. */
  async tellOptions(): Promise<void> {
    this.#send({ sessionUpdate: "config_option_update", configOptions: await this.choices.options() });
  }

  /** Tells the editor the mode after a change that it has not made itself. */
  tellMode(): void {
    this.#send({ sessionUpdate: "current_mode_update", currentModeId: this.choices.modes.currentModeId });
  }

  /** Ends the session: aborts its run, stores everything, and stops its processes. */
  async close(): Promise<void> {
    await this.session.dispose();
    await this.#parts.local.stop();
    this.#unsubscribe();
  }

  #send(update: SessionUpdate): void {
    this.#parts.output.send(toMessage(this.session.sessionId, update));
  }

  async #compact(instructions: string | undefined): Promise<StopReason> {
    this.#isCancelled = false;
    try {
      await this.session.compact(instructions ? { instructions } : {});
    } catch (error) {
      if (this.#isCancelled) return "cancelled";
      throw error;
    }
    this.#send({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: "The conversation is summarised." } });
    return "end_turn";
  }

  /** Tells the editor the commands, when they have changed. */
  async #tellCommands(): Promise<void> {
    const commands = await this.session.listCommands();
    const availableCommands = commands.map(({ name, description = "" }) => ({ name, description, input: { hint: "arguments" } }));
    if (!commands.some(({ name }) => name === "compact")) {
      const description = "Summarises the older part of the conversation";
      availableCommands.unshift({ name: "compact", description, input: { hint: "what the summary must keep" } });
    }
    const text = JSON.stringify(availableCommands);
    if (text === this.#commands) return;
    this.#commands = text;
    this.#send({ sessionUpdate: "available_commands_update", availableCommands });
  }

  #readOutcome(first: number): StopReason {
    if (this.#isCancelled) return "cancelled";
    const added = this.session.messages.slice(first);
    const answer = added.findLast((message): message is AssistantMessage => message.role === "assistant");
    if (this.session.limits.reached !== undefined) return "max_turn_requests";
    switch (answer?.stopReason) {
      case "aborted":
        return "cancelled";
      case "length":
        return "max_tokens";
      case "error":
        throw new RpcError(errorCodes.internal, answer.errorMessage ?? "The model gave no answer.");
      default:
        return "end_turn";
    }
  }
}

function toMessage(sessionId: string, update: SessionUpdate): object {
  return { jsonrpc: "2.0", method: "session/update", params: { sessionId, update } };
}

/** The text of a file; null if there is none, or it is large. */
async function readText(files: typeof localFiles, path: string): Promise<string | null> {
  try {
    const { type, size } = await files.stat(path);
    if (type !== "file" || size > maxOldText) return null;
    const file = await files.open(path);
    try {
      const bytes = await readWholeFile(file, { path, size, maxBytes: maxOldText, signal: new AbortController().signal });
      return Buffer.from(bytes).toString("utf8");
    } finally {
      await file.close();
    }
  } catch {
    return null;
  }
}
