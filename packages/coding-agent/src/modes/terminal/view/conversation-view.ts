import type { AgentMessage } from "@pikit/agent";
import type { AssistantMessage } from "@pikit/ai";
import { isAbortNote } from "../../../conversation/messages.ts";
import type { AgentSessionEvent } from "../../../session/events.ts";
import { toNotice, toWorkNote } from "../../person-notes.ts";
import type { Block } from "../block.ts";
import type { Theme } from "../theme/theme.ts";
import { AnswerView, type ViewOptions } from "./answer-view.ts";
import { loadHighlighter } from "./code-colors.ts";
import { CompactionBlock } from "./compaction-block.ts";
import { historyBlocks, resultOf } from "./history.ts";
import { loadMarkdown, markdownLoaded } from "./markdown.ts";
import { customBlock, noteBlock, userBlock } from "./message-blocks.ts";
import { OutcomeBlock } from "./outcome-block.ts";
import { ShellBlock } from "./shell-block.ts";
import { ToolBlock } from "./tool-block.ts";

type EventOf<T extends AgentSessionEvent["type"]> = Extract<AgentSessionEvent, { type: T }>;

export interface ConversationViewOptions {
  theme: Theme;
  /** The working folder, for the paths in tool calls. */
  cwd: string;
  /** Called when a block has changed that was returned before. */
  onChange?(): void;
  /** Returns milliseconds. Default: `performance.now`. */
  now?(): number;
  /** The renderers of extensions. Default: none. */
  drawings?: ViewOptions["drawings"];
  messageBlock?: ViewOptions["messageBlock"];
  transformMarkdown?: NonNullable<ViewOptions["transformMarkdown"]>;
}

/** Shows the events of a session as blocks. It is cheap to call for each event: text is only kept until a block is drawn. */
export class ConversationView {
  /** Whether thinking is shown in full. May be changed at any time; lines that were printed stay. */
  showsThinking = false;
  /** Whether more of the output of tools is shown: up to 200 lines. */
  showsToolOutput = false;
  /** The text of an extension for thinking that is folded. */
  thinkingLabel: string | undefined;
  readonly #options: ViewOptions;
  readonly #onChange: () => void;
  #answer: AnswerView;
  /** The tool calls that have no result, by id. */
  readonly #calls = new Map<string, ToolBlock>();
  readonly #shells = new Set<ShellBlock>();
  /** The end of the last answer, as long as it may be repeated. */
  #outcome: OutcomeBlock | undefined;
  #compaction: CompactionBlock | undefined;

  constructor(options: ConversationViewOptions) {
    const {
      theme,
      cwd,
      onChange = () => {},
      now = () => performance.now(),
      drawings,
      messageBlock = () => undefined,
      transformMarkdown,
    } = options;
    this.#onChange = onChange;
    this.#options = {
      ...{ theme, cwd, now, showsThinking: () => this.showsThinking, showsToolOutput: () => this.showsToolOutput },
      ...{ thinkingLabel: () => this.thinkingLabel, drawings, messageBlock },
      ...(transformMarkdown ? { transformMarkdown } : {}),
    };
    this.#answer = new AnswerView(this.#options);
    void markdownLoaded.then(() => this.#onChange());
  }

  /** Whether a block changes with time, so that it must be drawn again each second. */
  get isTicking(): boolean {
    if (this.#compaction || this.#shells.size > 0 || this.#outcome?.isWaiting) return true;
    for (const call of this.#calls.values()) if (call.isRunning) return true;
    return false;
  }

  /** Handles an event. Returns the blocks to add below the others, in their order. */
  show(event: AgentSessionEvent): readonly Block[] {
    switch (event.type) {
      case "agent_start":
        // The model takes longer for its first words, and for its first code, than these take.
        void loadMarkdown();
        if (this.#options.theme.colors > 0) void loadHighlighter();
        return none;
      case "message_start":
        return this.#startMessage(event.message);
      case "message_update": {
        const block = this.#answer.show(event.assistantMessageEvent);
        this.#onChange();
        return block ? [...this.#endOutcome(), block] : none;
      }
      case "message_end":
        return this.#endMessage(event);
      case "tool_execution_start":
        return this.#startCall(event);
      case "tool_execution_update":
        this.#calls.get(event.toolCallId)?.update(event.partialResult);
        this.#onChange();
        return none;
      case "tool_execution_end":
        this.#endCall(event.toolCallId, event.result, event.isError);
        return none;
      case "agent_end":
      case "agent_settled":
        this.#settle();
        return none;
      default:
        return this.#showWork(event);
    }
  }

  /** The blocks of a conversation that is continued: its last messages, and a line about the earlier ones. */
  showHistory(messages: readonly AgentMessage[]): Block[] {
    return historyBlocks(messages, this.#options);
  }

  /** Adds output of a running command, as `onCommandOutput` of the session reports it. */
  showCommandOutput(toolCallId: string, chunk: string): void {
    const call = this.#calls.get(toolCallId);
    if (!call) return;
    call.addOutput(chunk);
    this.#onChange();
  }

  /**
   * Shows a command of the user. Events do not report it, so its caller adds the output and calls `end`.
   *
   * @param isHidden - Whether the model does not get the output (`!!`).
   */
  showShell(command: string, isHidden = false): ShellBlock {
    const { theme, now, showsToolOutput } = this.#options;
    const block = new ShellBlock(command, { theme, now, isHidden, isFull: showsToolOutput });
    block.onChange = (isDone) => {
      if (isDone) this.#shells.delete(block);
      this.#onChange();
    };
    this.#shells.add(block);
    return block;
  }

  #startMessage(message: AgentMessage): readonly Block[] {
    if (message.role === "user") return [...this.#endOutcome(), userBlock(message, this.#options)];
    if (message.role === "assistant") {
      this.#outcome?.begin();
      // A block that is left open would keep the blocks below it from being printed.
      this.#answer.abandon();
      this.#answer = new AnswerView(this.#options);
    }
    return none;
  }

  #endMessage(event: EventOf<"message_end">): readonly Block[] {
    const { message } = event;
    if (message.role === "assistant") return this.#endAnswer(message);
    if (message.role === "toolResult") {
      this.#endCall(message.toolCallId, resultOf(message), message.isError);
      return none;
    }
    return this.#showWork(event);
  }

  #endAnswer(message: AssistantMessage): readonly Block[] {
    const { calls, added } = this.#answer.end(message);
    this.#onChange();
    const blocks: Block[] = added.length > 0 ? [...this.#endOutcome(), ...added] : [];
    if (message.stopReason === "error" || message.stopReason === "aborted") {
      this.#answer.abandon();
      return [...blocks, ...this.#showFailure(message)];
    }
    for (const [id, call] of calls) this.#calls.set(id, call);
    if (message.stopReason === "length") {
      blocks.push(noteBlock("The answer reached its output limit and was cut.", this.#options.theme, "warning"));
    }
    return blocks;
  }

  /** A block that waits for the decision whether the answer is repeated. */
  #showFailure(message: AssistantMessage): readonly Block[] {
    const isNew = this.#outcome === undefined;
    this.#outcome ??= new OutcomeBlock(this.#options.theme, this.#options.now);
    if (message.stopReason === "aborted" || isAbortNote(message)) this.#outcome.abort();
    else this.#outcome.fail(message.errorMessage ?? "The answer failed.");
    return isNew ? [this.#outcome] : none;
  }

  #startCall({ toolCallId, toolName, args, display }: EventOf<"tool_execution_start">): readonly Block[] {
    const known = this.#calls.get(toolCallId);
    known?.start(display);
    this.#onChange();
    if (known) return none;
    const { theme, cwd, now, showsToolOutput, drawings } = this.#options;
    const grown = { id: toolCallId, name: toolName, arguments: args };
    const call = new ToolBlock(() => grown, { theme, cwd, now, isFull: showsToolOutput, drawings });
    call.start(display);
    this.#calls.set(toolCallId, call);
    return [call];
  }

  #endCall(toolCallId: string, result: EventOf<"tool_execution_end">["result"], isError: boolean): void {
    this.#calls.get(toolCallId)?.end(result, isError);
    this.#calls.delete(toolCallId);
    this.#onChange();
  }

  /** Events about the work itself: retries, compactions, rules, reminders, limits, errors. */
  #showWork(event: AgentSessionEvent): readonly Block[] {
    const { theme } = this.#options;
    switch (event.type) {
      case "auto_retry_start":
        return this.#showRetry(event);
      case "auto_retry_end":
        if (event.success) this.#endOutcome();
        else this.#outcome?.giveUp();
        return none;
      case "auto_compaction_start":
      case "compaction_start":
        return this.#startCompaction(event);
      case "auto_compaction_end":
      case "compaction_end":
        this.#compaction?.end(event);
        this.#compaction = undefined;
        this.#onChange();
        return none;
      case "ttsr_triggered":
        this.#dropOutcome();
        return [noteBlock(toWorkNote(event) ?? "", theme, "warning")];
      case "limit_reached":
        return [noteBlock(`Stopped: the run reached its limit --${event.limit} (${event.value}).`, theme, "warning")];
      default: {
        const note = toWorkNote(event);
        if (note === undefined) return none;
        if (event.type === "message_end")
          return [...this.#endOutcome(), this.#messageBlock(event.message) ?? customBlock(note, theme)];
        const isError = event.type === "error" || event.type === "extension_error";
        return [...this.#endOutcome(), noteBlock(note, theme, isError ? "error" : "info")];
      }
    }
  }

  #messageBlock(message: AgentMessage): Block | undefined {
    return message.role === "custom" ? this.#options.messageBlock?.(message) : undefined;
  }

  #showRetry(event: EventOf<"auto_retry_start">): readonly Block[] {
    const isNew = this.#outcome === undefined;
    this.#outcome ??= new OutcomeBlock(this.#options.theme, this.#options.now);
    this.#outcome.retry(event, this.#answer.hasText);
    this.#onChange();
    return isNew ? [this.#outcome] : none;
  }

  #startCompaction(event: EventOf<"auto_compaction_start" | "compaction_start">): readonly Block[] {
    // An automatic compaction has two events.
    if (this.#compaction) return none;
    if (event.reason === "overflow") this.#dropOutcome();
    else this.#endOutcome();
    const text = toNotice(event) ?? "Summarising the conversation.";
    this.#compaction = new CompactionBlock(text, this.#options);
    return [this.#compaction];
  }

  /** The run is over: nothing is repeated, and no further result comes. */
  #settle(): void {
    this.#endOutcome();
    this.#answer.abandon();
    for (const call of this.#calls.values()) call.abandon();
    this.#calls.clear();
    this.#onChange();
  }

  #dropOutcome(): void {
    this.#outcome?.drop();
    this.#outcome = undefined;
    this.#onChange();
  }

  #endOutcome(): readonly Block[] {
    this.#outcome?.end();
    this.#outcome = undefined;
    return none;
  }
}

const none: readonly Block[] = [];
