import type { ImageContent, Message, Model, StreamOptions, ThinkingLevel } from "@pikit/ai";
import { runAgentLoop } from "./agent-loop.ts";
import { AgentError } from "./errors.ts";
import { Listeners } from "./listeners.ts";
import type { AgentEvent, AgentListener, AgentMessage, AgentTool, ModelRequest } from "./types.ts";

/** What an agent knows. Changes made during a run apply from its next model call. */
export interface AgentState {
  /** Without a model, prompts are refused. */
  model: Model | undefined;
  systemPrompt: string;
  thinkingLevel: ThinkingLevel;
  tools: AgentTool[];
  /** The transcript; live, and owned by the agent while a run is going. */
  messages: AgentMessage[];
}

export interface AgentOptions {
  /** May be set later, in `state.model`. */
  model?: Model;
  /** Default: none. */
  systemPrompt?: string;
  /** Default `off`. */
  thinkingLevel?: ThinkingLevel;
  /** Default: none. */
  tools?: AgentTool[];
  /** A conversation to go on with. Default: empty. */
  messages?: AgentMessage[];
  /** The transcript as the model shall see it. Default: messages of the providers' three roles. */
  toModelMessages?: (messages: readonly AgentMessage[]) => Message[] | Promise<Message[]>;
  /** Further options of a model call, such as a key; asked for before each call, since keys expire. */
  requestOptions?: (model: Model) => RequestOptions | Promise<RequestOptions>;
  /** Told when a listener throws; the run and the other listeners go on. Default: `console.error`. */
  onListenerError?: (error: unknown, event: AgentEvent) => void;
}

export type RequestOptions = Omit<StreamOptions, "signal" | "reasoning">;

/** A conversation with a model that can use tools: one run at a time, observed through events. */
export class Agent {
  readonly state: AgentState;
  readonly #options: AgentOptions;
  readonly #listeners: Listeners<AgentEvent>;
  #run: { controller: AbortController; ended: Promise<void> } | undefined;

  constructor(options: AgentOptions) {
    this.#options = options;
    this.#listeners = new Listeners(options.onListenerError ?? reportListenerError);
    this.state = {
      model: options.model,
      systemPrompt: options.systemPrompt ?? "",
      thinkingLevel: options.thinkingLevel ?? "off",
      tools: options.tools ?? [],
      messages: options.messages ?? [],
    };
  }

  /** Whether a run is going, listeners of its last event included. */
  get isRunning(): boolean {
    return this.#run !== undefined;
  }

  /**
   * Runs a prompt and resolves when the run has ended. Failures of the model or of tools do not reject: they are in the transcript.
   *
   * @param input - Text, or one or more messages.
   * @param images - Sent along with a text.
   * @throws {AgentError} `busy` while a run is going, `no_model` without a model; nothing is changed.
   */
  async prompt(input: string | AgentMessage | AgentMessage[], images: ImageContent[] = []): Promise<void> {
    if (this.#run) {
      throw new AgentError("busy", "A run is already going. Wait for it with waitForIdle(), or stop it with abort().");
    }
    if (!this.state.model) throw new AgentError("no_model", "No model is chosen. Set state.model first.");
    const controller = new AbortController();
    const ended = this.#start(toMessages(input, images), controller.signal);
    this.#run = { controller, ended };
    await ended;
  }

  /** Stops the run that is going, if any. `waitForIdle()` tells when it has ended. */
  abort(reason: unknown = new AgentError("aborted", "The run was aborted.")): void {
    this.#run?.controller.abort(reason);
  }

  /** Resolves when no run is going and its listeners have finished. */
  async waitForIdle(): Promise<void> {
    while (this.#run) await this.#run.ended;
  }

  /** Calls `listener` with every event from now on. Returns the function that ends it. */
  subscribe(listener: AgentListener): () => void {
    return this.#listeners.add(listener);
  }

  async #start(prompts: AgentMessage[], signal: AbortSignal): Promise<void> {
    try {
      await runAgentLoop({
        prompts,
        transcript: this.state.messages,
        config: {
          nextRequest: () => this.#nextRequest(),
          ...(this.#options.toModelMessages ? { toModelMessages: this.#options.toModelMessages } : {}),
        },
        emit: (event) => this.#listeners.emit(event),
        signal,
      });
    } finally {
      this.#run = undefined;
    }
  }

  async #nextRequest(): Promise<ModelRequest> {
    const { model, systemPrompt, thinkingLevel, tools } = this.state;
    if (!model) throw new AgentError("no_model", "The model was removed during the run.");
    const options = await this.#options.requestOptions?.(model);
    return { model, systemPrompt, thinkingLevel, tools, ...(options ? { options } : {}) };
  }
}

function toMessages(input: string | AgentMessage | AgentMessage[], images: ImageContent[]): AgentMessage[] {
  if (Array.isArray(input)) return input;
  if (typeof input !== "string") return [input];
  const content = images.length === 0 ? input : [{ type: "text" as const, text: input }, ...images];
  return [{ role: "user", content, timestamp: Date.now() }];
}

function reportListenerError(error: unknown, event: AgentEvent): void {
  console.error(`A listener failed at ${event.type}:`, error);
}
