import { type AgentTool, type AgentToolResult, ToolError } from "@pikit/agent";
import * as Type from "@sinclair/typebox";
import type { HostTool, HostToolCall, HostToolOutput } from "../../protocol/frames.ts";
import type { RpcOutput } from "./peer.ts";

/** A running call of a host tool. */
interface HostCall {
  /** The frame that began it. */
  frame: HostToolCall;
  onUpdate(partialResult: AgentToolResult): void;
  resolve(result: AgentToolResult): void;
  reject(error: ToolError): void;
  /** Whether the call was cancelled; later updates are then ignored. */
  isCancelled: boolean;
}

/** Tools that the host executes: calls are sent as frames, and the host answers with frames. */
export class HostTools {
  readonly #output: Pick<RpcOutput, "send" | "sendAnswered">;
  readonly #calls = new Map<string, HostCall>();
  /** Frames are checked one after another, so that updates and results keep their order. */
  #checks: Promise<void> = Promise.resolve();
  #lastId = 0;
  #isClosed = false;

  constructor(output: Pick<RpcOutput, "send" | "sendAnswered">) {
    this.#output = output;
  }

  /** The frames of the calls without a result. */
  openFrames(): object[] {
    return [...this.#calls.values()].map(({ frame }) => frame);
  }

  /**
   * Creates the agent's tools from the definitions of the host.
   *
   * @throws {Error} When a name is empty: providers would refuse all requests with such a tool.
   */
  create(definitions: readonly HostTool[]): AgentTool[] {
    const unnamed = definitions.findIndex(({ name }) => name.trim() === "");
    if (unnamed >= 0) throw new Error(`Field "tools.${unnamed}.name" must not be empty`);
    return definitions.map(({ name, label = name, description, parameters, timeoutMs }) => ({
      name,
      label,
      description,
      parameters: Type.Unsafe<Record<string, unknown>>(parameters),
      execute: (toolCallId, params, signal, onUpdate) =>
        this.#call({ toolCallId, toolName: name, arguments: params as Record<string, unknown> }, { signal, onUpdate, timeoutMs }),
    }));
  }

  /** Handles a frame of the host. A frame for an ended or unknown call is ignored. */
  handleFrame(frame: Record<string, unknown>): void {
    const id = String(frame.id);
    const call = this.#calls.get(id);
    if (!call) return;
    const isUpdate = frame.type === "host_tool_update";
    // A received result counts at once, although its check is asynchronous: a later abort does not cancel the call.
    if (!isUpdate) {
      this.#calls.delete(id);
      this.#output.sendAnswered?.(this.#cancelFrame(id));
    }
    this.#checks = this.#checks.then(() => (isUpdate ? takeUpdate(call, frame) : takeResult(call, frame)));
  }

  /** Fails all running and later calls, because the host has closed the connection. */
  close(): void {
    this.#isClosed = true;
    for (const [id, call] of this.#calls) {
      this.#calls.delete(id);
      call.isCancelled = true;
      call.reject(gone(call.frame.toolName));
    }
  }

  #call(
    request: Pick<HostToolCall, "toolCallId" | "toolName" | "arguments">,
    options: { signal: AbortSignal; onUpdate: HostCall["onUpdate"]; timeoutMs: number | undefined },
  ): Promise<AgentToolResult> {
    const { signal, onUpdate, timeoutMs } = options;
    if (this.#isClosed) return Promise.reject(gone(request.toolName));
    const id = this.#nextId("host");
    const { promise, resolve, reject } = Promise.withResolvers<AgentToolResult>();
    const frame: HostToolCall = { type: "host_tool_call", id, ...request };
    const call: HostCall = { frame, onUpdate, resolve, reject, isCancelled: false };
    const cancel = (error: ToolError) => {
      if (!this.#calls.delete(id)) return;
      call.isCancelled = true;
      this.#output.send(this.#cancelFrame(id));
      reject(error);
    };
    const onAbort = () => cancel(new ToolError("aborted", `The call of ${request.toolName} was aborted.`));
    const onTimeout = () =>
      cancel(new ToolError("timeout", `${request.toolName} gave no result within ${timeoutMs} ms and was cancelled.`));
    const timer = timeoutMs === undefined ? undefined : setTimeout(onTimeout, Math.min(timeoutMs, 2 ** 31 - 1));
    signal.addEventListener("abort", onAbort, { once: true });
    this.#calls.set(id, call);
    this.#output.send(frame);
    if (signal.aborted) onAbort();
    return promise.finally(() => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
    });
  }

  #cancelFrame(targetId: string): object {
    return { type: "host_tool_cancel", id: this.#nextId("host_cancel"), targetId };
  }

  #nextId(prefix: string): string {
    this.#lastId += 1;
    return `${prefix}_${this.#lastId}`;
  }
}

async function takeUpdate(call: HostCall, frame: Record<string, unknown>): Promise<void> {
  const update = await read(frame).catch(() => undefined);
  if (update && !call.isCancelled) call.onUpdate(toResult(update.partialResult as HostToolOutput));
}

async function takeResult(call: HostCall, frame: Record<string, unknown>): Promise<void> {
  try {
    const { result, isError } = await read(frame);
    const output = result as HostToolOutput;
    if (isError === true) call.reject(new ToolError("host_tool_failed", textOf(output), { details: output.details ?? null }));
    else call.resolve(toResult(output));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    call.reject(new ToolError("bad_result", `The result of the host for ${call.frame.toolName} is invalid: ${reason}.`));
  }
}

async function read(frame: Record<string, unknown>): Promise<Record<string, unknown>> {
  return (await import("./read-params.ts")).readHostToolFrame(frame);
}

function toResult({ content, details, display }: HostToolOutput): AgentToolResult {
  return { content, details: details ?? null, ...(display === undefined ? {} : { display }) };
}

function textOf({ content }: HostToolOutput): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
}

function gone(toolName: string): ToolError {
  return new ToolError("host_gone", `Cannot run ${toolName}: its host has closed the connection.`);
}
