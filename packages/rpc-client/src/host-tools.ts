import type { Signal } from "./abort-signal.ts";
import { type HostCall, HostCalls } from "./host-calls.ts";
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

interface HostToolCall extends HostCall {
  toolCallId: string;
  arguments: Record<string, unknown>;
}

/** Runs the tools of the program for the agent. Sends one result per call, or none if the call was cancelled. */
export class HostTools extends HostCalls<ClientTool<unknown>, HostToolCall> {
  /**
   * The tools as records of the protocol.
   *
   * @throws {TypeError} When the parameters of a tool cannot be converted to JSON Schema.
   */
  get definitions(): HostTool[] {
    return this.items.map(({ name, label, description, parameters, timeoutMs }) => ({
      name,
      ...(label === undefined ? {} : { label }),
      description,
      parameters: toJsonSchema(parameters),
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
    }));
  }

  /** @throws {TypeError} For a frame without the fields of a call. */
  onCall(frame: Record<string, unknown>): void {
    const { id, toolCallId, toolName, arguments: args } = frame;
    if (typeof id !== "string" || typeof toolName !== "string" || typeof args !== "object" || args === null) {
      throw new TypeError("A host_tool_call needs id, toolName and arguments.");
    }
    const call = { id, name: toolName, toolCallId: String(toolCallId), arguments: args as Record<string, unknown> };
    this.accept(call, () => toResult(id, errorAnswer(`This program has no tool "${toolName}".`)));
  }

  protected nameOf({ name }: ClientTool<unknown>): string {
    return name;
  }

  protected async run(tool: ClientTool<unknown>, call: HostToolCall, controller: AbortController): Promise<void> {
    const send = (toFrame: () => SentRecord) => {
      if (this.isOpen(call.id, controller)) this.send(toFrame());
    };
    const update = (partial: NonNullable<HostToolAnswer>) => send(() => toUpdate(call.id, partial));
    try {
      const read = await readArguments(tool.parameters, call.arguments);
      if ("problems" in read) throw new TypeError(`Invalid arguments for ${tool.name}. ${read.problems.join("; ")}.`);
      const context = { toolCallId: call.toolCallId, signal: controller.signal, update };
      const answer = await tool.execute(read.value, context);
      send(() => toResult(call.id, answer));
    } catch (error) {
      // Includes a result that is too long to send.
      send(() => toResult(call.id, errorAnswer(error instanceof Error ? error.message : String(error))));
    }
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
