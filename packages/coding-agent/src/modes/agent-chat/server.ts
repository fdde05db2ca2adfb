import { isAiError, type StopReason } from "@pikit/ai";
import { isSessionError, UsageError } from "../../errors.ts";
import type { PreviewEvent } from "../../tools/preview/run.ts";
import type { BaseOptions } from "./chat-options.ts";
import type { ChatOutput } from "./chat-output.ts";
import { ChatSessions } from "./chat-sessions.ts";
import { ChatView } from "./chat-view.ts";
import { type ChatEvent, type ChatParams, type ErrorCode, isRequestName, type RequestName, requests } from "./protocol.ts";
import { type AnswerName, Questions } from "./questions.ts";
import { BadRequestError, readParams } from "./read-params.ts";

/** Reads requests, runs one chat at a time, and sends its events. */
export class AgentChatServer {
  readonly #output: ChatOutput;
  readonly #questions: Questions;
  readonly #sessions: ChatSessions;
  #view: ChatView | undefined;
  #chat: { controller: AbortController; over: Promise<void> } | undefined;

  constructor(base: BaseOptions, output: ChatOutput) {
    this.#output = output;
    this.#questions = new Questions((event) => output.send(event));
    this.#sessions = new ChatSessions(base, {
      user: { ...this.#questions.user, notify: (message) => base.onProblem?.(message) },
      onCommandOutput: (...args) => this.#view?.handleOutput(...args),
      onDelegation: (...args) => this.#view?.handleDelegation(...args),
      // Previews continue after the chat that started them.
      onPreview: (event) => output.send(toPreviewEvent(event)),
    });
  }

  /** Handles one line of input. */
  handleLine(line: string): void {
    let record: unknown;
    try {
      record = JSON.parse(line);
    } catch {
      // The message of the parser quotes the line, which may contain a key.
      this.refuseLine("it is not valid JSON");
      return;
    }
    if (typeof record === "object" && record !== null && !Array.isArray(record)) this.#handle(record as Record<string, unknown>);
    else this.refuseLine("it is not a JSON object");
  }

  /** Sends an error for a line that is not a request. An open question is answered with no. */
  refuseLine(reason: string): void {
    this.#fail("parse", `A line cannot be read: ${reason}. Send one JSON object per line.`);
    this.#questions.refuse();
  }

  /** Handles the end of the input: all questions are answered with no, and the running chat continues to its end. */
  endInput(): void {
    this.#questions.close();
  }

  /** Resolves when no chat is running. */
  async settle(): Promise<void> {
    await this.#chat?.over;
  }

  /** Aborts the running chat, ends the processes that its tools started, and closes its session. */
  async close(): Promise<void> {
    this.#questions.close();
    this.#chat?.controller.abort();
    await this.#sessions.close();
    await this.settle();
    // Once more: the chat may have been opening a session.
    await this.#sessions.close();
  }

  #handle({ method, params }: Record<string, unknown>): void {
    if (typeof method !== "string" || !isRequestName(method)) {
      const names = Object.keys(requests).join(", ");
      this.#fail("bad_request", `Field "method" must be one of ${names}.`);
      return;
    }
    try {
      this.#handleRequest(method, params);
    } catch (error) {
      this.#fail(toErrorCode(error), toMessage(error));
    }
  }

  #handleRequest(method: RequestName, params: unknown): void {
    if (method === "ping") this.#output.send({ event: "pong", data: {} });
    else if (method === "agent_chat") this.#startChat(params);
    else this.#answer(method, params);
  }

  /** Handles an answer; an invalid one counts as no. */
  #answer(name: AnswerName, params: unknown): void {
    if (!this.#questions.isOpen(name)) return;
    try {
      this.#questions.answer(name, readParams(name, params));
    } catch (error) {
      this.#questions.refuse();
      throw error;
    }
  }

  #startChat(params: unknown): void {
    if (this.#chat) {
      this.#fail("busy", 'Another chat is running. Wait for its "done" event, or start another pi agent-rpc.');
      return;
    }
    const chat = readParams("agent_chat", params);
    const controller = new AbortController();
    const over = this.#runChat(chat, controller.signal)
      .catch((error: unknown) => this.#fail(toErrorCode(error), toMessage(error)))
      .finally(() => {
        this.#chat = undefined;
        this.#view = undefined;
      });
    this.#chat = { controller, over };
  }

  /** @throws When the chat could not be started. */
  async #runChat(params: ChatParams, signal: AbortSignal): Promise<void> {
    const session = await this.#sessions.open(params);
    const view = new ChatView(session, (event) => this.#output.send(event));
    this.#view = view;
    const unsubscribe = session.subscribe((event) => view.handleEvent(event));
    try {
      await session.start();
      if (signal.aborted) return this.#endChat(view, "aborted", false);
      const images = params.images?.map(({ media_type, data_base64 }) => ({
        type: "image" as const,
        mimeType: media_type,
        data: data_base64,
      }));
      const { settled } = await session.submit(params.message, { images, signal });
      await settled;
      // A command of an extension may have started a run.
      await session.waitForIdle();
    } finally {
      unsubscribe();
    }
    const withoutAnswer = view.hasRun || signal.aborted ? "aborted" : "stop";
    this.#endChat(view, view.lastAnswer?.stopReason ?? withoutAnswer, view.hasRun && session.limits.reached !== undefined);
  }

  #endChat({ lastAnswer, response, toolCalls, tokens }: ChatView, stopReason: StopReason, isAtLimit: boolean): void {
    if (stopReason === "error" && !isAtLimit) {
      const message = lastAnswer?.errorMessage ?? "The model gave no answer.";
      this.#output.send({ event: "error", data: { message, code: "provider", ends_chat: true } });
      return;
    }
    const isCompleted = stopReason === "stop" && !isAtLimit;
    const isFailed = (stopReason === "aborted" && !isAtLimit) || response === "";
    this.#output.send({
      event: "done",
      data: {
        task_id: crypto.randomUUID(),
        response,
        task_completed: isCompleted,
        tool_calls: toolCalls,
        new_skill: null,
        completion_type: isCompleted ? "success" : isFailed ? "failure" : "partial_success",
        llm_usage: tokens,
      },
    });
  }

  #fail(code: ErrorCode, message: string): void {
    this.#output.send({ event: "error", data: { message, code, ends_chat: false } });
  }
}

function toPreviewEvent(event: PreviewEvent): ChatEvent {
  switch (event.type) {
    case "started":
      return { event: "preview_started", data: { path: event.path, port: event.port } };
    case "ready":
      return { event: "preview_ready", data: { url: event.url, port: event.port } };
    case "failed":
      return { event: "preview_failed", data: { message: event.message } };
    case "stopped":
      return { event: "preview_stopped", data: { reason: event.reason } };
  }
}

function toErrorCode(error: unknown): ErrorCode {
  if (error instanceof BadRequestError || error instanceof UsageError) return "bad_request";
  // For example a script file that cannot be read; no provider has been called yet.
  if (isAiError(error)) return "bad_request";
  if (!isSessionError(error)) return "internal";
  if (error.code === "busy" || error.code === "locked") return "busy";
  const isOfRequest = error.code === "invalid_input" || error.code === "no_model" || error.code === "no_credentials";
  return isOfRequest ? "bad_request" : "internal";
}

function toMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
