import type { Signal } from "./abort-signal.ts";
import { callSafely, raise } from "./call-safely.ts";
import type { UiRequest } from "./protocol-types.ts";

export type UiMethod = UiRequest["method"];
/** The fields of a UI request, by method. */
export type UiFields<M extends UiMethod> = Omit<Extract<UiRequest, { method: M }>, "type" | "id" | "method">;

export interface DialogContext {
  /** Aborted when the agent no longer waits for the answer: the dialog's `timeout` expired, or the process is gone. */
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
type DialogValue<M extends DialogMethod> = M extends "confirm" ? boolean : string;

export type UiHandler<M extends UiMethod> = M extends DialogMethod
  ? DialogHandler<M>
  : M extends DisplayMethod
    ? DisplayHandler<M>
    : never;
type AnyDialogHandler = (fields: object, context: DialogContext) => unknown;
type AnyDisplayHandler = (fields: object) => void;

const dialogs: ReadonlySet<string> = new Set<DialogMethod>(["select", "confirm", "input", "editor"]);

/** Passes the agent's UI requests to the handlers. A dialog without a handler is cancelled at once, so that no run waits for it. */
export class UiHandlers {
  readonly #send: (frame: object) => void;
  readonly #handlers = new Map<string, AnyDialogHandler | AnyDisplayHandler>();
  readonly #open = new Set<AbortController>();

  constructor(send: (frame: object) => void) {
    this.#send = send;
  }

  /** Returns a function that removes the handler, unless another one has replaced it. */
  set<M extends UiMethod>(method: M, handler: UiHandler<M>): () => void {
    const entry = handler as unknown as AnyDialogHandler;
    this.#handlers.set(method, entry);
    return () => {
      if (this.#handlers.get(method) === entry) this.#handlers.delete(method);
    };
  }

  /** @throws {TypeError} For a frame without the fields of a request. */
  onRequest(frame: Record<string, unknown>): void {
    const { type: _, id, method, ...fields } = frame;
    if (typeof id !== "string" || typeof method !== "string") throw new TypeError("An extension_ui_request needs id and method.");
    const handler = this.#handlers.get(method);
    if (dialogs.has(method)) void this.#ask(id, fields, handler);
    else if (handler !== undefined) callSafely(() => (handler as AnyDisplayHandler)(fields));
  }

  /** Aborts every dialog, because the agent no longer waits for it. */
  endAll(reason: Error): void {
    for (const controller of [...this.#open]) controller.abort(reason);
  }

  async #ask(id: string, fields: { timeout?: unknown }, handler: AnyDialogHandler | undefined): Promise<void> {
    const controller = new AbortController();
    const timeoutMs = Number(fields.timeout ?? 0);
    const expire = () => controller.abort(new Error("The timeout of the dialog expired."));
    const timer = timeoutMs > 0 ? setTimeout(expire, timeoutMs) : undefined;
    timer?.unref();
    this.#open.add(controller);
    let value: unknown;
    try {
      value = await handler?.(fields, { signal: controller.signal });
    } catch (error) {
      raise(error);
    } finally {
      clearTimeout(timer);
      this.#open.delete(controller);
    }
    if (!controller.signal.aborted) this.#answer(id, value);
  }

  #answer(id: string, value: unknown): void {
    const outcome = typeof value === "boolean" ? { confirmed: value } : typeof value === "string" ? { value } : { cancelled: true };
    try {
      this.#send({ type: "extension_ui_response", id, ...outcome });
    } catch (error) {
      // The text is too long to send. The dialog must end all the same.
      this.#send({ type: "extension_ui_response", id, cancelled: true });
      raise(error);
    }
  }
}
