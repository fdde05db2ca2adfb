import {
  AiError,
  type ApiAdapter,
  type AssistantMessage,
  type AssistantMessageEvent,
  type AssistantMessageEventStream,
  type Context,
  EventStream,
  type MessageAssembler,
  type Model,
  parseThinkingLevel,
  type StreamOptions,
  stream,
} from "@pikit/ai";
import { type FamilyContext, toContext, toFamilyContext } from "./transcript.ts";

/** Options of a request as extensions give them. Only the fields that have other names or values than ours. */
type FamilyOptions = Omit<StreamOptions, "reasoning" | "toolChoice"> & {
  reasoning?: string;
  reasoningEffort?: string;
  toolChoice?: unknown;
};

/** A function of an extension that asks a model. */
export type FamilyStream = (
  model: Model,
  context: FamilyContext,
  options?: StreamOptions,
) => AsyncIterable<AssistantMessageEvent> | Promise<AsyncIterable<AssistantMessageEvent>>;

/** A stream that ends with the event for which `isComplete` returns true. */
export class FamilyEventStream<TEvent, TResult = TEvent> extends EventStream<TEvent, TResult> {
  readonly #isComplete: (event: TEvent) => boolean;
  readonly #extractResult: (event: TEvent) => TResult;

  constructor(isComplete: (event: TEvent) => boolean, extractResult: (event: TEvent) => TResult) {
    super();
    this.#isComplete = isComplete;
    this.#extractResult = extractResult;
  }

  override push(event: TEvent): void {
    super.push(event);
    if (this.#isComplete(event)) super.end(this.#extractResult(event));
  }

  /** Ends the stream. Without a result, `result` stays pending if no event has ended the stream before. */
  override end(result?: TResult): void {
    super.end(result as TResult);
  }
}

/** The answer of a model, which an extension builds event by event. */
export class FamilyAnswerStream extends FamilyEventStream<AssistantMessageEvent, AssistantMessage> {
  constructor() {
    super(
      ({ type }) => type === "done" || type === "error",
      (event) => (event.type === "done" ? event.message : (event as Extract<AssistantMessageEvent, { type: "error" }>).error),
    );
  }
}

/** Asks a model, see `stream` of `@pikit/ai`. */
export function familyStream(model: Model, context: FamilyContext, options: FamilyOptions = {}): AssistantMessageEventStream {
  return stream(model, toContext(context), toOptions(options));
}

/** Asks a model and waits for the complete answer. Never rejects: see `stopReason` and `errorMessage`. */
export function familyComplete(model: Model, context: FamilyContext, options?: FamilyOptions): Promise<AssistantMessage> {
  return familyStream(model, context, options).result();
}

function toOptions({ reasoning, reasoningEffort, toolChoice, ...options }: FamilyOptions): StreamOptions {
  const level = parseThinkingLevel(reasoning ?? reasoningEffort ?? "");
  const choice = toToolChoice(toolChoice);
  return { ...options, ...(level ? { reasoning: level } : {}), ...(choice ? { toolChoice: choice } : {}) };
}

/** Providers have names of their own for "at least one tool", and for a certain one. */
function toToolChoice(choice: unknown): StreamOptions["toolChoice"] {
  if (choice === "auto" || choice === "none" || choice === "required") return choice;
  if (choice === "any") return "required";
  if (typeof choice !== "object" || choice === null) return undefined;
  const { name, function: called } = choice as { name?: unknown; function?: { name?: unknown } };
  const tool = name ?? called?.name;
  return typeof tool === "string" ? { tool } : undefined;
}

/** Makes an api of a function that asks a model. */
export function toApiAdapter(ask: FamilyStream): ApiAdapter {
  return async ({ model, context, options }, assembler) => {
    const copy: Context = { ...context, messages: [...context.messages] };
    await relay(await ask(model, toFamilyContext(copy), options), assembler);
  };
}

type Block = ReturnType<MessageAssembler["openText"] | MessageAssembler["openThinking"] | MessageAssembler["openToolCall"]>;

/** Repeats the events of an answer. */
async function relay(events: AsyncIterable<AssistantMessageEvent>, assembler: MessageAssembler): Promise<void> {
  const blocks = new Map<number, Block>();
  for await (const event of events) {
    if (assembler.isEnded) return;
    if (event.type === "start") assembler.start();
    else if (event.type === "done") {
      if (event.message.usage) assembler.setUsage(event.message.usage);
      return assembler.done(event.reason);
    } else if (event.type === "error") {
      const { errorMessage, usage } = event.error;
      if (usage) assembler.setUsage(usage);
      throw new AiError(
        event.reason === "aborted" ? "aborted" : "bad_response",
        errorMessage ?? "The answer failed without a reason.",
      );
    } else relayBlock(event, blocks, assembler);
  }
}

type BlockEvent = Exclude<AssistantMessageEvent, { type: "start" | "done" | "error" }>;

function relayBlock(event: BlockEvent, blocks: Map<number, Block>, assembler: MessageAssembler): void {
  const { contentIndex, partial } = event;
  const content = partial?.content[contentIndex];
  switch (event.type) {
    case "text_start":
      blocks.set(contentIndex, assembler.openText());
      return;
    case "thinking_start":
      blocks.set(contentIndex, assembler.openThinking());
      return;
    case "toolcall_start":
      if (content?.type === "toolCall") blocks.set(contentIndex, assembler.openToolCall(content));
      return;
    case "text_delta":
    case "thinking_delta":
    case "toolcall_delta":
      blocks.get(contentIndex)?.append(event.delta);
      return;
    default:
      endBlock(event, blocks.get(contentIndex));
  }
}

function endBlock(event: Extract<BlockEvent, { type: `${string}_end` }>, block: Block | undefined): void {
  const content = event.partial?.content[event.contentIndex];
  if (event.type === "toolcall_end") (block as ReturnType<MessageAssembler["openToolCall"]>)?.end(event.toolCall.arguments);
  else if (event.type === "text_end")
    (block as ReturnType<MessageAssembler["openText"]>)?.end(content?.type === "text" ? content.textSignature : undefined);
  else {
    const { thinkingSignature, redacted } = content?.type === "thinking" ? content : {};
    const end = { thinkingSignature, thinking: event.content, ...(redacted === undefined ? {} : { redacted }) };
    (block as ReturnType<MessageAssembler["openThinking"]>)?.end(end);
  }
}
