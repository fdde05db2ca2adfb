import type { UiRequest, UiResponse } from "../../protocol/frames.ts";
import {
  type ApprovalAnswer,
  type ApprovalQuestion,
  absentUser,
  answersTo,
  type DialogOptions,
  type UserInterface,
} from "../../user-interface.ts";
import type { RpcOutput } from "./peer.ts";

type Fields<T> = T extends { type: string; id: string } ? Omit<T, "type" | "id"> : never;
type Request = Fields<UiRequest>;

/** A dialog without an answer. */
interface Dialog {
  /** The frame that opened it. */
  frame: object;
  close(response: Record<string, unknown> | undefined): void;
}

/** Asks the user of the client, with `extension_ui_request` frames. After a disconnect, dialogs resolve to their defaults. */
export class RpcUserInterface implements UserInterface {
  readonly mode = "rpc";
  readonly #firstDialog = Promise.withResolvers<void>();
  #output: Pick<RpcOutput, "send" | "sendAnswered"> | undefined;
  readonly #dialogs = new Map<string, Dialog>();
  #lastId = 0;

  constructor(output: Pick<RpcOutput, "send" | "sendAnswered">) {
    this.#output = output;
  }

  /** The frames of the open dialogs. */
  openFrames(): object[] {
    return [...this.#dialogs.values()].map(({ frame }) => frame);
  }

  /** Resolves when the first dialog opens. */
  get hasAsked(): Promise<void> {
    return this.#firstDialog.promise;
  }

  /** Resolves all open and later dialogs to their defaults: the client sends no more answers. */
  disconnect(): void {
    this.#output = undefined;
    for (const { close } of [...this.#dialogs.values()]) close(undefined);
  }

  /** Handles an `extension_ui_response`. A response for a closed or unknown dialog is ignored. */
  handleFrame(frame: Record<string, unknown>): void {
    this.#dialogs.get(String(frame.id))?.close(frame);
  }

  async confirm({ title, message }: { title: string; message: string }, options?: DialogOptions): Promise<boolean> {
    const response = await this.#ask({ method: "confirm", title, message }, options);
    return response?.confirmed === true;
  }

  /** A `confirm` with more answers than yes and no, for clients that know them. */
  async approve(question: ApprovalQuestion, options?: DialogOptions): Promise<ApprovalAnswer> {
    const { title, message, toolCallId, reasons, call, isDiff, sessionScope: rule, ruleFile } = question;
    const answers = answersTo(question);
    const parts = {
      ...(toolCallId && { toolCallId }),
      reasons,
      call,
      isDiff,
      answers,
      ...(rule && { rule }),
      ...(ruleFile && { ruleFile }),
    };
    const response = await this.#ask({ method: "confirm", title, message, approval: parts }, options);
    const chosen = answers.find((answer) => answer === response?.value);
    const decision = chosen ?? (response?.confirmed === true ? "once" : "no");
    if (decision === "once" || decision === "session" || decision === "always") return { decision };
    return { decision, ...(typeof response?.reason === "string" ? { reason: response.reason } : {}) };
  }

  async select(
    { title, options: choices }: { title: string; options: readonly string[] },
    options?: DialogOptions,
  ): Promise<string | undefined> {
    const value = toValue(await this.#ask({ method: "select", title, options: [...choices] }, options));
    return value !== undefined && choices.includes(value) ? value : undefined;
  }

  async input(question: { title: string; placeholder?: string }, options?: DialogOptions): Promise<string | undefined> {
    return toValue(await this.#ask({ method: "input", ...question }, options));
  }

  async editor(question: { title: string; prefill?: string }, options?: DialogOptions): Promise<string | undefined> {
    return toValue(await this.#ask({ method: "editor", ...question }, options));
  }

  notify(message: string, notifyType?: "info" | "warning" | "error"): void {
    this.#tell({ method: "notify", message, ...(notifyType ? { notifyType } : {}) });
  }

  setStatus(statusKey: string, statusText?: string): void {
    this.#tell({ method: "setStatus", statusKey, ...(statusText === undefined ? {} : { statusText }) });
  }

  setWidget(widgetKey: string, widgetLines?: readonly string[], widgetPlacement?: "aboveEditor" | "belowEditor"): void {
    this.#tell({
      method: "setWidget",
      widgetKey,
      ...(widgetLines === undefined ? {} : { widgetLines: [...widgetLines] }),
      ...(widgetPlacement === undefined ? {} : { widgetPlacement }),
    });
  }

  /** Sent only if the host has set `PI_RPC_EMIT_TITLE=1`, because most hosts have no title. */
  setTitle(title: string): void {
    if (process.env.PI_RPC_EMIT_TITLE === "1") this.#tell({ method: "setTitle", title });
  }

  setEditorText(text: string): void {
    this.#tell({ method: "set_editor_text", text });
  }

  /** The protocol has no such dialog: a run that reaches a limit ends. */
  readonly clarify = absentUser.clarify;

  #tell(request: Request): void {
    this.#lastId += 1;
    this.#output?.send({ type: "extension_ui_request", id: `ui_${this.#lastId}`, ...request });
  }

  /** Resolves with the response; undefined if there is none, or the user has cancelled the dialog. */
  #ask(request: Request, { signal, timeoutMs }: DialogOptions = {}): Promise<Record<string, unknown> | undefined> {
    const output = this.#output;
    if (!output || signal?.aborted) return Promise.resolve(undefined);
    this.#lastId += 1;
    const id = `ui_${this.#lastId}`;
    return new Promise((resolve) => {
      const close = (response: Record<string, unknown> | undefined) => {
        if (!this.#dialogs.delete(id)) return;
        clearTimeout(timer);
        signal?.removeEventListener("abort", onAbort);
        output.sendAnswered?.(toAnswer(id, response));
        resolve(response?.cancelled === true ? undefined : response);
      };
      const onAbort = () => close(undefined);
      const timer = timeoutMs === undefined ? undefined : setTimeout(onAbort, Math.min(timeoutMs, 2 ** 31 - 1));
      signal?.addEventListener("abort", onAbort, { once: true });
      const frame = { type: "extension_ui_request", id, ...request, ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }) };
      this.#dialogs.set(id, { frame, close });
      this.#firstDialog.resolve();
      output.send(frame);
    });
  }
}

/** The answer as a frame for the other clients. */
function toAnswer(id: string, { value, confirmed }: Record<string, unknown> = {}): UiResponse {
  if (typeof value === "string") return { type: "extension_ui_response", id, value };
  if (typeof confirmed === "boolean") return { type: "extension_ui_response", id, confirmed };
  return { type: "extension_ui_response", id, cancelled: true };
}

function toValue(response: Record<string, unknown> | undefined): string | undefined {
  return typeof response?.value === "string" ? response.value : undefined;
}
