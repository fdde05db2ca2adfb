import type { Signal } from "./abort-signal.ts";
import { callSafely, raise } from "./call-safely.ts";
import type { UiRequest } from "./protocol-types.ts";
import type { SentRecord } from "./transport.ts";

export type UiMethod = UiRequest["method"];
/** The fields of a UI request, by method. */
export type UiFields<M extends UiMethod> = Omit<Extract<UiRequest, { method: M }>, "type" | "id" | "method">;

export interface DialogContext {
  /** Aborted when the agent no longer waits for the answer: the dialog's `timeout` expired, another client answered, or the agent is gone. */
  signal: Signal;
}

/** Answers a dialog; undefined cancels it. An error cancels the dialog and becomes an uncaught exception. */
export type DialogHandler<M extends DialogMethod> = (
  request: UiFields<M>,
  context: DialogContext,
) => DialogValue<M> | undefined | Promise<DialogValue<M> | undefined>;

/** Shows something. The agent does not wait for it. */
export type DisplayHandler<M extends DisplayMethod> = (request: UiFields<M>) => void;

type DialogMethod = "select" | "confirm" | "input" | "editor";
type DisplayMethod = Exclude<UiMethod, DialogMethod>;
/** A `confirm` may also be answered with one of its `approval.answers`. */
type DialogValue<M extends DialogMethod> = M extends "confirm" ? boolean | string : string;

export type UiHandler<M extends UiMethod> = M extends DialogMethod
  ? DialogHandler<M>
  : M extends DisplayMethod
    ? DisplayHandler<M>
    : never;
type AnyDialogHandler = (fields: object, context: DialogContext) => unknown;
type AnyDisplayHandler = (fields: object) => void;

/** The requests that wait for an answer. */
export const dialogMethods: ReadonlySet<string> = new Set<DialogMethod>(["select", "confirm", "input", "editor"]);

/** A dialog that the agent has opened. */
interface Dialog {
  id: string;
  method: string;
  fields: { timeout?: unknown };
}

interface UiHandlersOptions {
  send: (frame: SentRecord) => void;
  /** Whether other clients may answer. A dialog without a handler is then left to them, and kept until a handler for it is set. */
  isShared: () => boolean;
}

/** Passes the agent's UI requests to the handlers. Unless it is shared, a dialog without a handler is cancelled at once: no run waits for it. */
export class UiHandlers {
  readonly #options: UiHandlersOptions;
  readonly #handlers = new Map<string, AnyDialogHandler | AnyDisplayHandler>();
  /** The dialogs that a handler is answering, by id. */
  readonly #open = new Map<string, AbortController>();
  /** Open dialogs without a handler, by id. */
  readonly #unhandled = new Map<string, Dialog>();

  constructor(options: UiHandlersOptions) {
    this.#options = options;
  }

  /** Returns a function that removes the handler, unless another one has replaced it. */
  set<M extends UiMethod>(method: M, handler: UiHandler<M>): () => void {
    const entry = handler as unknown as AnyDialogHandler;
    this.#handlers.set(method, entry);
    for (const [id, dialog] of this.#unhandled) {
      if (dialog.method !== method) continue;
      this.#unhandled.delete(id);
      void this.#ask(dialog, entry);
    }
    return () => {
      if (this.#handlers.get(method) === entry) this.#handlers.delete(method);
    };
  }

  /** @throws {TypeError} For a frame without the fields of a request. */
  onRequest(frame: Record<string, unknown>): void {
    const { type: _type, id, method, epoch: _epoch, seq: _seq, again: _again, ...fields } = frame;
    if (typeof id !== "string" || typeof method !== "string") throw new TypeError("An extension_ui_request needs id and method.");
    const handler = this.#handlers.get(method);
    if (dialogMethods.has(method)) this.#onDialog({ id, fields, method }, handler);
    else if (handler !== undefined) callSafely(() => (handler as AnyDisplayHandler)(fields));
  }

  /** Handles the answer that a dialog got, from this program or another client, or because the agent no longer waits. */
  onAnswered({ id }: Record<string, unknown>): void {
    this.#unhandled.delete(String(id));
    this.#open.get(String(id))?.abort(new Error("The dialog was answered by another client, or closed by the agent."));
  }

  /** Aborts every dialog, because the agent no longer waits for it. */
  endAll(reason: Error): void {
    this.#unhandled.clear();
    for (const controller of [...this.#open.values()]) controller.abort(reason);
  }

  #onDialog(dialog: Dialog, handler: AnyDialogHandler | undefined): void {
    if (handler === undefined && this.#options.isShared()) this.#unhandled.set(dialog.id, dialog);
    else void this.#ask(dialog, handler);
  }

  async #ask({ id, fields }: Dialog, handler: AnyDialogHandler | undefined): Promise<void> {
    const controller = new AbortController();
    const timeoutMs = Number(fields.timeout ?? 0);
    const expire = () => controller.abort(new Error("The timeout of the dialog expired."));
    const timer = timeoutMs > 0 ? setTimeout(expire, timeoutMs) : undefined;
    timer?.unref();
    this.#open.set(id, controller);
    let value: unknown;
    try {
      value = await handler?.(fields, { signal: controller.signal });
    } catch (error) {
      raise(error);
    } finally {
      clearTimeout(timer);
      // A new agent may have reused the id.
      if (this.#open.get(id) === controller) this.#open.delete(id);
    }
    if (!controller.signal.aborted) this.#answer(id, value);
  }

  #answer(id: string, value: unknown): void {
    const outcome = typeof value === "boolean" ? { confirmed: value } : typeof value === "string" ? { value } : { cancelled: true };
    try {
      this.#options.send({ type: "extension_ui_response", id, ...outcome });
    } catch (error) {
      // The text is too long to send. The dialog must end all the same.
      this.#options.send({ type: "extension_ui_response", id, cancelled: true });
      raise(error);
    }
  }
}
