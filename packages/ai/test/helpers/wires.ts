import { anthropic, google, openai, openaiResponses, type ProviderResponse, type ProviderServer, type Wire } from "@pikit/test-kit";
import {
  type AiErrorCode,
  type AssistantMessage,
  type AssistantMessageEvent,
  type AssistantMessageEventStream,
  type Context,
  type Model,
  type StreamOptions,
  stream,
} from "../../src/index.ts";
import { checkGrammar, type Step, summarize } from "./events.ts";
import { testModel } from "./models.ts";

/** What the contract suite has to know of a wire. A new adapter joins by a row of `wires`. */
export interface WireCase {
  api: string;
  wire: Wire;
  /** How the wire says that the answer reached its limit. */
  lengthReason: string;
  /** The path of a request to a base URL without a version segment. */
  path: string;
  /** Endings of a base URL that all lead there. */
  baseSuffixes: readonly string[];
  /** The header that carries a key, and how. */
  credential: (key: string) => [header: string, value: string];
  /** An event that reports an error in the middle of a stream. */
  errorEvent: (kind: "overloaded" | "rate_limit" | "overflow") => unknown;
  /** How the vendor says that a conversation is too long. */
  overflow: { status: number; message: string };
  /** Whether arguments come in pieces; else a call comes whole. */
  streamsArguments: boolean;
  /** Whether usage has a count of cache writes. */
  countsCacheWrites: boolean;
}

const openaiErrors = {
  overloaded: { code: "server_error", message: "Busy" },
  rate_limit: { code: "rate_limit_exceeded", message: "Slow down" },
  overflow: { code: "context_length_exceeded", message: "Your input exceeds the context window of this model." },
};

const anthropicErrors = {
  overloaded: { type: "overloaded_error", message: "Busy" },
  rate_limit: { type: "rate_limit_error", message: "Slow down" },
  overflow: { type: "invalid_request_error", message: "prompt is too long: 210,000 tokens > 200,000 maximum" },
};

const googleErrors = {
  overloaded: { code: 503, message: "Busy", status: "UNAVAILABLE" },
  rate_limit: { code: 429, message: "Slow down", status: "RESOURCE_EXHAUSTED" },
  overflow: { code: 400, message: "The input token count (9) exceeds the maximum number of tokens allowed (8).", status: "X" },
};

const v1 = ["", "/", "/v1", "/v1/"];
const bearer = (key: string): [string, string] => ["authorization", `Bearer ${key}`];

export const wires: readonly WireCase[] = [
  {
    api: "anthropic-messages",
    wire: anthropic,
    lengthReason: "max_tokens",
    path: "/v1/messages",
    baseSuffixes: v1,
    credential: (key) => ["x-api-key", key],
    errorEvent: (kind) => ({ type: "error", error: anthropicErrors[kind] }),
    overflow: { status: 400, message: "prompt is too long: 200,001 tokens > 200,000 maximum" },
    streamsArguments: true,
    countsCacheWrites: true,
  },
  {
    api: "openai-completions",
    wire: openai,
    lengthReason: "length",
    path: "/v1/chat/completions",
    baseSuffixes: v1,
    credential: bearer,
    errorEvent: (kind) => ({ error: openaiErrors[kind] }),
    overflow: {
      status: 400,
      message: "This model's maximum context length is 8 tokens. However, your messages resulted in 9 tokens.",
    },
    streamsArguments: true,
    countsCacheWrites: true,
  },
  {
    api: "openai-responses",
    wire: openaiResponses,
    lengthReason: "max_output_tokens",
    path: "/v1/responses",
    baseSuffixes: v1,
    credential: bearer,
    errorEvent: (kind) => ({ type: "error", ...openaiErrors[kind] }),
    overflow: {
      status: 400,
      message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
    },
    streamsArguments: true,
    countsCacheWrites: true,
  },
  {
    api: "google-generative-ai",
    wire: google,
    lengthReason: "MAX_TOKENS",
    path: "/v1beta/models/test-model:streamGenerateContent?alt=sse",
    baseSuffixes: ["", "/", "/v1beta", "/v1beta/"],
    credential: (key) => ["x-goog-api-key", key],
    errorEvent: (kind) => ({ error: googleErrors[kind] }),
    overflow: { status: 400, message: "The input token count (9) exceeds the maximum number of tokens allowed (8)." },
    streamsArguments: false,
    countsCacheWrites: false,
  },
];

export const hello: Context = { messages: [{ role: "user", content: "hello", timestamp: 1 }] };

/** Set in the environment, it runs the slow forms of tests that have a short one. */
export const isLongRun = process.env.PIKIT_LONG === "1";

/** Asks a test model of the wire. */
export function askWire(
  { api }: WireCase,
  server: ProviderServer,
  options: StreamOptions = {},
  overrides: Partial<Model> = {},
): AssistantMessageEventStream {
  return stream(testModel(api, server.url, overrides), hello, options);
}

/** What an answer came to, without what tells one wire from another: ids, signatures, times, names. */
export interface Outcome {
  steps: Step[];
  content: object[];
  stopReason: AssistantMessage["stopReason"];
  /** Of a failed answer. */
  code?: AiErrorCode;
  retryable?: boolean;
}

/** Reads an answer to its end, checking the grammar of its events. `onEvent` sees each one as it comes. */
export async function outcomeOf(
  answer: AssistantMessageEventStream,
  onEvent: (event: AssistantMessageEvent) => unknown = () => {},
): Promise<Outcome> {
  const events: AssistantMessageEvent[] = [];
  for await (const event of answer) {
    events.push(event);
    onEvent(event);
  }
  const steps = summarize(checkGrammar(events));
  const { content, stopReason } = await answer.result();
  const { failure } = answer;
  return {
    steps,
    content: content.map(withoutWireNames),
    stopReason,
    ...(failure && { code: failure.code, retryable: failure.retryable }),
  };
}

function withoutWireNames(block: AssistantMessage["content"][number]): object {
  if (block.type === "text") return { text: block.text };
  if (block.type === "thinking") return { thinking: block.thinking };
  const { name, arguments: args, argumentsError } = block;
  return { name, arguments: args, ...(argumentsError !== undefined && { argumentsError }) };
}

/** The id of a call without what the Responses wire adds to it. */
export function wireCallId(id: string): string {
  return id.split("|")[0] ?? id;
}

/** All steps as one write: the server's own turns of the event loop are not what a test of ours measures. */
export function wholeAtOnce(response: ProviderResponse): ProviderResponse {
  return { ...response, steps: [(response.steps ?? []).filter((step) => typeof step === "string").join("")] };
}

/** A controller whose `abort` can be passed around. */
export class Controller extends AbortController {
  override readonly abort = () => super.abort();
}
