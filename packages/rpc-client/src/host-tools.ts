import type { Signal } from "./abort-signal.ts";
import { readArguments, toJsonSchema } from "./protocol.ts";
import type { HostTool, HostToolOutput } from "./protocol-types.ts";
import type { ToolParameters } from "./tool-parameters.ts";
import type { SentRecord } from "./transport.ts";

/** The result of a tool: content, a text as the only content, or nothing. */
export type HostToolAnswer = string | (HostToolOutput & { isError?: boolean }) | undefined;

/** One call of a tool. */
export interface HostToolContext {
  /** The model's id of the call; the events of the call have it too. */
  toolCallId: string;
  /** Aborted when the agent no longer waits: the run was aborted, the timeout expired, or the process is gone. Later results are dropped. */
  signal: Signal;
  /** Sends the partial result so far; each update replaces the previous one. */
  update: (partial: NonNullable<HostToolAnswer>) => void;
}

/** A tool that runs in this program. The agent has checked the arguments against `parameters`. */
export interface ClientTool<TArguments = Record<string, unknown>> extends Omit<HostTool, "parameters"> {
  /** JSON Schema, or a schema of TypeBox, Zod (4.2 or newer) or another library with the Standard JSON Schema interface. */
  parameters: ToolParameters<TArguments>;
  /** Runs the tool. A thrown error becomes an error result with the error's message for the model. */
  execute(args: TArguments, context: HostToolContext): HostToolAnswer | Promise<HostToolAnswer>;
}

/** Maximum characters of an error message for the model. */
const maxErrorLength = 50_000;

interface HostToolCall {
  id: string;
  toolCallId: string;
  toolName: string;
  arguments: Record<string, unknown>;
}

interface HostToolsOptions {
  /** Sends a frame; throws when it is too long. */
  send: (frame: SentRecord) => void;
  /** Whether other clients have tools too. Calls of unknown tools are then kept until they are cancelled, or such a tool is registered. */
  isShared: () => boolean;
}

/** Runs the tools of the program for the agent. Sends one result per call, or none if the call was cancelled. */
export class HostTools {
  readonly #options: HostToolsOptions;
  readonly #calls = new Map<string, AbortController>();
  /** Open calls of tools that this program does not have. */
  readonly #foreignCalls = new Map<string, HostToolCall>();
  #tools: readonly ClientTool<unknown>[] = [];
  /** The previous tools during `replace`: the agent may still call them. */
  #former: readonly ClientTool<unknown>[] = [];

  constructor(options: HostToolsOptions) {
    this.#options = options;
  }

  /**
   * The tools as records of the protocol.
   *
   * @throws {TypeError} When the parameters of a tool cannot be converted to JSON Schema.
   */
  get definitions(): HostTool[] {
    return this.#tools.map(({ name, label, description, parameters, timeoutMs }) => ({
      name,
      ...(label === undefined ? {} : { label }),
      description,
      parameters: toJsonSchema(parameters),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    }));
  }

  /** Replaces the tools while `tell` registers them with the agent; if it rejects, the previous tools stay. Running calls continue. */
  async replace<T>(tools: readonly ClientTool<unknown>[], tell: () => Promise<T>): Promise<T> {
    const former = this.#tools;
    const current = [...tools];
    this.#tools = current;
    this.#former = former;
    try {
      const told = await tell();
      this.#runForeignCalls();
      return told;
    } catch (error) {
      if (this.#tools === current) this.#tools = former;
      throw error;
    } finally {
      this.#former = [];
    }
  }

  /** @throws {TypeError} For a frame without the fields of a call. */
  onCall(frame: Record<string, unknown>): void {
    const { id, toolCallId, toolName, arguments: args } = frame;
    if (typeof id !== "string" || typeof toolName !== "string" || typeof args !== "object" || args === null) {
      throw new TypeError("A host_tool_call needs id, toolName and arguments.");
    }
    const call = { id, toolName, toolCallId: String(toolCallId), arguments: args as Record<string, unknown> };
    const tool = this.#find(toolName);
    if (tool !== undefined) void this.#run(tool, call);
    else if (this.#options.isShared()) this.#foreignCalls.set(id, call);
    else this.#options.send(toResult(id, errorAnswer(`This program has no tool "${toolName}".`)));
  }

  onCancel(frame: Record<string, unknown>): void {
    this.#end(String(frame.targetId), new Error("The agent cancelled the call."));
  }

  /** Aborts every call, because the agent no longer waits for it. */
  endAll(reason: Error): void {
    this.#foreignCalls.clear();
    for (const id of [...this.#calls.keys()]) this.#end(id, reason);
  }

  #find(toolName: string): ClientTool<unknown> | undefined {
    return [...this.#tools, ...this.#former].find(({ name }) => name === toolName);
  }

  /** Runs the calls that were made before this program had their tools, for example by an earlier client of the session. */
  #runForeignCalls(): void {
    for (const [id, call] of this.#foreignCalls) {
      const tool = this.#find(call.toolName);
      if (tool === undefined) continue;
      this.#foreignCalls.delete(id);
      void this.#run(tool, call);
    }
  }

  async #run(tool: ClientTool<unknown>, call: HostToolCall): Promise<void> {
    const controller = new AbortController();
    const { signal } = controller;
    this.#calls.set(call.id, controller);
    /** Drops frames of a call that is over, because the agent may have reused its id. */
    const send = (toFrame: () => SentRecord) => {
      if (this.#calls.get(call.id) === controller) this.#options.send(toFrame());
    };
    const update = (partial: NonNullable<HostToolAnswer>) => send(() => toUpdate(call.id, partial));
    try {
      const read = await readArguments(tool.parameters, call.arguments);
      if ("problems" in read) throw new TypeError(`Invalid arguments for ${tool.name}. ${read.problems.join("; ")}.`);
      const context = { toolCallId: call.toolCallId, signal, update };
      const answer = await tool.execute(read.value, context);
      send(() => toResult(call.id, answer));
    } catch (error) {
      // Includes a result that is too long to send.
      send(() => toResult(call.id, errorAnswer(error instanceof Error ? error.message : String(error))));
    } finally {
      if (this.#calls.get(call.id) === controller) this.#calls.delete(call.id);
    }
  }

  #end(id: string, reason: Error): void {
    const controller = this.#calls.get(id);
    this.#foreignCalls.delete(id);
    this.#calls.delete(id);
    controller?.abort(reason);
  }
}

function toResult(id: string, answer: HostToolAnswer): SentRecord {
  const isError = typeof answer === "object" && answer.isError === true;
  return { type: "host_tool_result", id, result: toOutput(answer), ...(isError ? { isError } : {}) };
}

function toUpdate(id: string, partial: HostToolAnswer): SentRecord {
  return { type: "host_tool_update", id, partialResult: toOutput(partial) };
}

function toOutput(answer: HostToolAnswer): HostToolOutput {
  if (typeof answer === "string") return { content: [{ type: "text", text: answer }] };
  if (answer === undefined) return { content: [] };
  const { isError: _, ...output } = answer;
  return output;
}

function errorAnswer(text: string): HostToolAnswer {
  return { content: [{ type: "text", text: text.slice(0, maxErrorLength) }], isError: true };
}
