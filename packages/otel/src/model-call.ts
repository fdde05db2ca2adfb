import { type Attributes, type Context, type Span, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import type { ModelCallProbe, ObservedModelCall } from "@pikit/coding-agent";
import { names, providerNameOf } from "./names.ts";
import type { Settings } from "./settings.ts";
import { writeTraceContext } from "./trace-context.ts";

type Answer = Parameters<NonNullable<ModelCallProbe["onEnd"]>>[0];
type Failure = Parameters<NonNullable<ModelCallProbe["onEnd"]>>[1];

/** Maximum characters of the description of an error. */
const maxDescription = 500;

/** The words of the conventions for the reasons why an answer ended. */
const finishReasons: Readonly<Record<Answer["stopReason"], string>> = {
  ...{ stop: "stop", length: "length", error: "error" },
  ...{ toolUse: "tool_call", aborted: "aborted" },
};

/** The span of one request to a model: `chat <model>`. */
export class ModelCallSpan implements ModelCallProbe {
  readonly headers: Record<string, string>;
  readonly #settings: Settings;
  readonly #span: Span;
  /** The attributes of its metrics. */
  readonly #labels: Attributes;
  readonly #startedAt = performance.now();
  readonly #ended: (answer: Answer | undefined) => void;
  #firstContentAt: number | undefined;
  #isOver = false;

  /** @param ended - Called once, with the answer; undefined if there is none. */
  constructor(
    settings: Settings,
    { call, conversation, parent }: { call: ObservedModelCall; conversation: string; parent: Context },
    ended: (answer: Answer | undefined) => void,
  ) {
    const { purpose, model, thinkingLevel } = call;
    this.#settings = settings;
    this.#ended = ended;
    this.#labels = {
      [names.operation]: "chat",
      [names.provider]: providerNameOf(model.provider),
      [names.requestModel]: model.id,
      ...serverOf(model.baseUrl),
    };
    const attributes = {
      ...this.#labels,
      [names.conversation]: conversation,
      [names.requestStream]: true,
      [names.purpose]: purpose,
      [names.thinkingLevel]: thinkingLevel,
    };
    this.#span = settings.tracer.startSpan(`chat ${model.id}`, { kind: SpanKind.CLIENT, attributes }, parent);
    this.headers = settings.tracesProviders ? writeTraceContext(this.#span) : {};
    if (purpose === "answer") this.#captureInput(call);
  }

  onContent(): void {
    this.#firstContentAt = performance.now();
  }

  onEnd(answer: Answer, failure: Failure): void {
    if (this.#isOver) return;
    const { usage, stopReason } = answer;
    this.#span.setAttributes({
      [names.finishReasons]: [finishReasons[stopReason]],
      [names.inputTokens]: usage.input + usage.cacheRead + usage.cacheWrite,
      [names.outputTokens]: usage.output,
      [names.cacheReadTokens]: usage.cacheRead,
      [names.cacheWriteTokens]: usage.cacheWrite,
      [names.cost]: usage.cost.total,
    });
    const { content } = this.#settings;
    if (content) this.#span.setAttribute(names.outputMessages, content.messages([answer], finishReasons[stopReason]));
    this.#measure(answer);
    this.#end(stopReason === "error" || stopReason === "aborted" ? errorTypeOf(failure, stopReason) : undefined, answer);
  }

  /** Ends the span of a request that was never sent. */
  abandon(): void {
    this.#end("not_sent", undefined);
  }

  #captureInput({ context }: ObservedModelCall): void {
    const { content } = this.#settings;
    if (!content || !this.#span.isRecording()) return;
    this.#span.setAttribute(names.systemInstructions, content.instructions(context.systemPrompt));
    this.#span.setAttribute(names.inputMessages, content.messages(context.messages));
  }

  #measure({ usage }: Answer): void {
    const { metrics } = this.#settings;
    const counts = { input: usage.input + usage.cacheRead + usage.cacheWrite, output: usage.output };
    for (const [type, count] of Object.entries(counts)) {
      if (count > 0) metrics.tokens.record(count, { ...this.#labels, [names.tokenType]: type });
    }
    if (usage.cost.total > 0) metrics.cost.add(usage.cost.total, this.#labels);
    if (this.#firstContentAt === undefined) return;
    const seconds = (this.#firstContentAt - this.#startedAt) / 1000;
    metrics.firstChunk.record(seconds, this.#labels);
    this.#span.setAttribute(names.timeToFirstChunk, seconds);
  }

  #end(errorType: string | undefined, answer: Answer | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const labels = errorType === undefined ? this.#labels : { ...this.#labels, [names.errorType]: errorType };
    this.#settings.metrics.modelDuration.record((performance.now() - this.#startedAt) / 1000, labels);
    if (errorType !== undefined) this.#span.setAttribute(names.errorType, errorType);
    // An abort is the wish of the caller, not an error.
    if (answer?.stopReason === "error" || answer === undefined) setError(this.#span, answer?.errorMessage);
    this.#span.end();
    this.#ended(answer);
  }
}

/** Marks a span as failed. */
export function setError(span: Span, message: string | undefined): void {
  span.setStatus({ code: SpanStatusCode.ERROR, ...(message === undefined ? {} : { message: message.slice(0, maxDescription) }) });
}

/** The HTTP status, or the code of our errors, such as `network`. */
function errorTypeOf(failure: Failure, stopReason: string): string {
  if (stopReason === "aborted") return "aborted";
  return failure?.status === undefined ? (failure?.code ?? "_OTHER") : String(failure.status);
}

function serverOf(baseUrl: string): Attributes {
  if (!URL.canParse(baseUrl)) return {};
  const { protocol, hostname, port } = new URL(baseUrl);
  if (hostname === "") return {};
  return { [names.serverAddress]: hostname, [names.serverPort]: port === "" ? (protocol === "http:" ? 80 : 443) : Number(port) };
}

/** A context for children of a span. */
export function within(span: Span, parent: Context): Context {
  return trace.setSpan(parent, span);
}
