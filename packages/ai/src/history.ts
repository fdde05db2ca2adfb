import { imageOrNote } from "./check-image.ts";
import { type ToolCallIdRule, ToolCallIds, toolCallIdRuleOf } from "./history/tool-call-ids.ts";
import { cutDeep } from "./nesting.ts";
import { removeLoneSurrogates, removeLoneSurrogatesDeep } from "./surrogates.ts";
import type {
  AssistantMessage,
  ImageContent,
  Message,
  Model,
  TextContent,
  ToolCall,
  ToolResultMessage,
  UserMessage,
} from "./types.ts";

/** A tool call that will be sent, and its result. */
interface SentCall {
  call: ToolCall;
  result?: ToolResultMessage;
}

/** Messages with each result attached to its call. */
interface Pairing {
  turns: Turn[];
  /** The latest calls of each id: some servers repeat an id in every answer, or within one. */
  callsById: Map<string, SentCall[]>;
  /** The ids of results that belong to no call of these messages. */
  strayIds: string[];
}

/** Requirements of one wire, in addition to those of every wire. */
export interface HistoryRules {
  /** Default: the rule of the model's api. */
  toolCallIds?: ToolCallIdRule;
  /** Whether thinking is sent back as text even to the model that wrote it. Default: false. */
  thinkingAsText?: boolean;
  /** Whether an empty text block with a signature is sent back to the model that wrote it. Default: false. */
  signedEmptyText?: boolean;
}

/** The target of one conversion. */
interface Target {
  model: Model;
  ids: ToolCallIds;
  thinkingAsText: boolean;
  signedEmptyText: boolean;
}

interface Turn {
  message: UserMessage | AssistantMessage;
  /** The calls of an assistant message that are sent. */
  calls: SentCall[];
}

/**
 * Converts a stored conversation so that it is valid for a model:
 *
 * - Failed and aborted answers, and malformed tool calls, are left out together with their results.
 * - Exactly one result follows each tool call, in the order of the calls; an error result replaces a missing one.
 * - Thinking is sent back only to the model that wrote it; other models get it as text.
 * - Tool-call ids that the wire does not accept are rewritten, in call and result alike.
 * - Arguments that are nested too deeply are cut.
 * - Empty texts and messages are left out; invalid images, and images for a model that cannot see them, become a note; lone surrogates are
 *   removed.
 *
 * Pure and deterministic: the same history gives the same messages, and `messages` is not changed.
 */
export function prepareHistory(messages: readonly Message[], model: Model, rules: HistoryRules = {}): Message[] {
  return new HistoryPreparation(model, rules).add(messages) ?? [];
}

/** `prepareHistory` for a conversation that comes in parts. The parts together give the messages that the whole would give. */
export class HistoryPreparation {
  readonly #target: Target;
  /** The ids of calls of earlier parts that have no result. */
  readonly #unanswered: Set<string>;

  constructor(
    model: Model,
    { toolCallIds = toolCallIdRuleOf(model.api), thinkingAsText = false, signedEmptyText = false }: HistoryRules,
  ) {
    this.#target = { model, ids: new ToolCallIds(toolCallIds, model), thinkingAsText, signedEmptyText };
    this.#unanswered = new Set();
  }

  /**
   * Prepares the next part.
   *
   * @returns Undefined if it holds the result of a call of an earlier part. The results that are missing there are then wrong, and the
   *   conversation must be prepared again as a whole.
   */
  add(messages: readonly Message[]): Message[] | undefined {
    const { turns, callsById, strayIds } = pairResults(messages);
    if (strayIds.some((id) => this.#unanswered.has(id))) return undefined;
    for (const [id, calls] of callsById) {
      if (calls.some(({ result }) => !result)) this.#unanswered.add(id);
      else this.#unanswered.delete(id);
    }
    return prepareTurns(turns, this.#target);
  }

  /** Prepares the next part as `add` does, for a conversation whose last part may still change: a later `add` gets it again. */
  peek(messages: readonly Message[]): Message[] | undefined {
    const { turns, strayIds } = pairResults(messages);
    if (strayIds.some((id) => this.#unanswered.has(id))) return undefined;
    return prepareTurns(turns, { ...this.#target, ids: this.#target.ids.fork() });
  }
}

function prepareTurns(turns: readonly Turn[], target: Target): Message[] {
  const prepared: Message[] = [];
  for (const turn of turns) {
    if (turn.message.role === "user") pushUser(prepared, turn.message, target.model);
    else pushAssistant(prepared, turn.message, turn.calls, target);
  }
  return prepared;
}

/** The messages to send, with each tool result attached to its call. */
function pairResults(messages: readonly Message[]): Pairing {
  const turns: Turn[] = [];
  const callsById = new Map<string, SentCall[]>();
  const strayIds: string[] = [];
  for (const message of messages) {
    if (message.role === "user") {
      turns.push({ message, calls: [] });
    } else if (message.role === "assistant") {
      const all = message.content.filter((block) => block.type === "toolCall").map((call): SentCall => ({ call }));
      for (const { call } of all) callsById.set(call.id, []);
      if (message.stopReason === "error" || message.stopReason === "aborted") continue;
      const calls = all.filter(({ call }) => call.id.trim() !== "" && call.name.trim() !== "");
      for (const sent of calls) callsById.get(sent.call.id)?.push(sent);
      turns.push({ message, calls });
    } else {
      const calls = callsById.get(message.toolCallId);
      if (!calls) strayIds.push(message.toolCallId);
      // A result without a call, or a second result for a call, is left out.
      const unanswered = calls?.find(({ result }) => !result);
      if (unanswered) unanswered.result = message;
    }
  }
  return { turns, callsById, strayIds };
}

function pushUser(prepared: Message[], message: UserMessage, model: Model): void {
  const content =
    typeof message.content === "string" ? removeLoneSurrogates(message.content) : prepareContent(message.content, model);
  const isEmpty = typeof content === "string" ? content.trim() === "" : content.length === 0;
  if (!isEmpty) prepared.push({ ...message, content });
}

function pushAssistant(prepared: Message[], message: AssistantMessage, calls: SentCall[], target: Target): void {
  const { model, ids } = target;
  const isSameModel = message.provider === model.provider && message.api === model.api && message.model === model.id;
  const sentIds = new Map(calls.map(({ call }) => [call, ids.assign(call.id, message)]));
  const content: AssistantMessage["content"] = [];
  for (const block of message.content) {
    if (block.type === "toolCall") {
      const id = sentIds.get(block);
      if (id !== undefined) content.push(prepareCall({ ...block, id }, isSameModel));
    } else if (block.type === "thinking" && isSameModel && block.thinkingSignature && !target.thinkingAsText) {
      content.push({ ...block, thinking: removeLoneSurrogates(block.thinking) });
    } else if (block.type === "text" || (block.type === "thinking" && !block.redacted)) {
      const text = removeLoneSurrogates((block.type === "text" ? block.text : block.thinking) ?? "");
      const signature = block.type === "text" && isSameModel ? block.textSignature : undefined;
      const isSent = text.trim() !== "" || (target.signedEmptyText && signature !== undefined);
      if (isSent) content.push({ type: "text", text, ...(signature !== undefined && { textSignature: signature }) });
    }
  }
  // Providers reject a message that holds only thinking.
  if (content.every((block) => block.type === "thinking")) return;
  prepared.push({ ...message, content });
  for (const { call, result } of calls) {
    const toolCallId = sentIds.get(call) ?? call.id;
    // Some wires also match a result with its call by name.
    prepared.push({ ...(result ? prepareResult(result, model) : missingResult(call, message)), toolCallId, toolName: call.name });
  }
}

function prepareCall(call: ToolCall, isSameModel: boolean): ToolCall {
  const { thoughtSignature, ...rest } = call;
  return {
    ...rest,
    arguments: removeLoneSurrogatesDeep(cutDeep(call.arguments ?? {})) as Record<string, unknown>,
    ...(isSameModel && thoughtSignature !== undefined && { thoughtSignature }),
  };
}

function prepareResult(result: ToolResultMessage, model: Model): ToolResultMessage {
  const content = prepareContent(result.content, model);
  if (content.some((block) => block.type === "text")) return { ...result, content };
  const text = content.length === 0 ? "(no output)" : "(the result is this image)";
  return { ...result, content: [{ type: "text", text }, ...content] };
}

function missingResult(call: ToolCall, message: AssistantMessage): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: "text", text: "No result: the call was interrupted before it ended." }],
    isError: true,
    timestamp: message.timestamp,
  };
}

function prepareContent(content: readonly (TextContent | ImageContent)[], model: Model): (TextContent | ImageContent)[] {
  const prepared: (TextContent | ImageContent)[] = [];
  for (const block of content) {
    if (block.type === "image") {
      if (model.input.includes("image")) prepared.push(imageOrNote(block));
      else prepared.push({ type: "text", text: "[An image was here; this model cannot see images.]" });
    } else if (typeof block.text === "string") {
      const text = removeLoneSurrogates(block.text);
      if (text.trim() !== "") prepared.push({ ...block, text });
    }
  }
  return prepared;
}
