import { AiError, type HostModelCall, type Model, toHostModel } from "@pikit/ai";
import { notRegistered } from "../../models/host-provider.ts";
import { hostProvider } from "../../models/provider-names.ts";
import type { HostModel, HostModelCallFrame } from "../../protocol/host-models.ts";
import { maxLineLength } from "../../protocol/jsonl.ts";
import type { RpcOutput, RpcPeer } from "./peer.ts";

/** A call without its last frame. */
interface OpenCall {
  /** The frame that began it. */
  frame: HostModelCallFrame;
  /** The client that answers it; undefined before its first frame. */
  peer: RpcPeer | undefined;
  /** Hands a frame to the adapter, which checks it. */
  receive(frame: unknown): void;
}

/** Maximum number of host models of a session. */
const maxModels = 1000;
/** Maximum characters of an id or a name. */
const maxNameLength = 256;

/** Characters that a character can have in JSON: `\u0000`. */
const maxEscape = 6;

/** Models that the host runs: calls are sent as frames, and the host answers with frames. */
export class HostModels {
  readonly #output: Pick<RpcOutput, "send" | "sendAnswered">;
  readonly #calls = new Map<string, OpenCall>();
  /** The ids of the registered models. */
  #ids: ReadonlySet<string> = new Set();
  #lastId = 0;
  #isClosed = false;

  constructor(output: Pick<RpcOutput, "send" | "sendAnswered">) {
    this.#output = output;
  }

  /** The frames of the calls without an end. */
  openFrames(): object[] {
    return [...this.#calls.values()].map(({ frame }) => frame);
  }

  /**
   * Creates models from the definitions of the host. They replace the earlier ones, whose open calls continue.
   *
   * @throws {Error} For too many models, a name that is too long, and an id that is empty, has white space, or comes twice. Nothing changes then.
   */
  create(definitions: readonly HostModel[]): Model[] {
    if (definitions.length > maxModels)
      throw new Error(`Field "models" must have at most ${maxModels} items, but has ${definitions.length}`);
    const ids = new Set<string>();
    for (const [index, { id, name }] of definitions.entries()) {
      const field = `Field "models.${index}.id"`;
      if (id.length > maxNameLength) throw new Error(`${field} must have at most ${maxNameLength} characters`);
      if (name.length > maxNameLength)
        throw new Error(`Field "models.${index}.name" must have at most ${maxNameLength} characters`);
      if (!/^[^\s\p{Cc}]+$/u.test(id)) throw new Error(`${field} must not be empty and must not have white space`);
      if (ids.has(id)) throw new Error(`${field} must be unique, but "${id}" comes twice`);
      ids.add(id);
    }
    this.#ids = ids;
    return definitions.map((definition) =>
      toHostModel({ ...definition, name: definition.name.trim() || definition.id, provider: hostProvider }, (call, receive) =>
        this.#begin(call, receive),
      ),
    );
  }

  /**
   * Handles a frame of a client. Frames for an ended or unknown call are ignored, and so are those of other clients than the one that has answered
   * first. If that client comes back over another connection, frames may be lost, so the call fails.
   */
  handleFrame(frame: Record<string, unknown>, peer: RpcPeer): void {
    const id = String(frame.id);
    const call = this.#calls.get(id);
    if (!call) return;
    if (call.peer !== undefined && call.peer !== peer) {
      if (peer.clientId !== undefined && call.peer.clientId === peer.clientId) this.#fail(id, "came back over another connection");
      return;
    }
    call.peer = peer;
    // It counts as ended at once: what comes behind it is late.
    if (frame.type !== "host_model_event") this.#end(id);
    call.receive(frame);
  }

  /** Fails the calls that a client was answering, because its connection is closed. */
  leave(peer: RpcPeer): void {
    for (const [id, call] of this.#calls) if (call.peer === peer) this.#fail(id, "has closed its connection");
  }

  /** Fails all open and later calls, because the host has closed the connection. */
  close(): void {
    this.#isClosed = true;
    for (const id of [...this.#calls.keys()]) this.#fail(id, "has closed its connection");
  }

  #begin({ signal, ...request }: HostModelCall, receive: (frame: unknown) => void): void {
    const name = `${hostProvider}/${request.modelId}`;
    if (this.#isClosed)
      throw new AiError("network", `Cannot ask ${name}: its host has closed the connection.`, { retryable: false });
    if (!this.#ids.has(request.modelId)) throw new AiError("invalid_request", notRegistered(request.modelId));
    const id = this.#nextId("model");
    const frame = { type: "host_model_call", id, ...request } as HostModelCallFrame;
    if (isTooLong(frame)) {
      const text = `The request for ${name} has more than ${maxLineLength} characters, the limit of a line.`;
      throw new AiError("request_too_large", text);
    }
    const onAbort = () => {
      if (this.#calls.delete(id)) this.#output.send(this.#cancelFrame(id));
    };
    this.#calls.set(id, {
      frame,
      peer: undefined,
      receive: (answer) => {
        if (!this.#calls.has(id)) signal.removeEventListener("abort", onAbort);
        receive(answer);
      },
    });
    signal.addEventListener("abort", onAbort, { once: true });
    this.#output.send(frame);
  }

  #end(id: string): void {
    this.#calls.delete(id);
    this.#output.sendAnswered?.(this.#cancelFrame(id));
  }

  /** Another try may succeed: a client may come back, or another one may have the model. */
  #fail(id: string, reason: string): void {
    const call = this.#calls.get(id);
    if (!call) return;
    this.#end(id);
    const message = `The host of ${hostProvider}/${call.frame.modelId} ${reason} before the answer was complete.`;
    call.receive({ type: "host_model_error", message, retryable: !this.#isClosed });
  }

  #cancelFrame(targetId: string): object {
    return { type: "host_model_cancel", id: this.#nextId("model_cancel"), targetId };
  }

  #nextId(prefix: string): string {
    this.#lastId += 1;
    return `${prefix}_${this.#lastId}`;
  }
}

/** Whether the JSON of a frame is longer than a line may be. It is written only if that is not certain without it. */
function isTooLong(frame: object): boolean {
  return lengthOf(frame) * maxEscape > maxLineLength && JSON.stringify(frame).length > maxLineLength;
}

/** The characters of all texts and names in a value, and some for each value. */
function lengthOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 4;
  let length = 2;
  for (const [name, field] of Object.entries(value)) length += name.length + 1 + lengthOf(field);
  return length;
}
