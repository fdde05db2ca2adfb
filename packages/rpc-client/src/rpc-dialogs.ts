import { RpcCommands } from "./rpc-commands.ts";
import type { DialogHandler, DisplayHandler, UiHandler, UiMethod } from "./ui-handlers.ts";

/**
 * Handlers for the agent's dialogs with the user and for its display requests. Each kind has one handler; setting another one replaces it.
 * Each method returns a function that removes the handler. A dialog without a handler is cancelled at once; a display request without a
 * handler is dropped.
 */
export abstract class RpcDialogs extends RpcCommands {
  /** Returns a function that removes the handler, unless another one has replaced it. */
  protected abstract setUiHandler<M extends UiMethod>(method: M, handler: UiHandler<M>): () => void;

  /** Handles a yes-or-no question. */
  onConfirm(handler: DialogHandler<"confirm">): () => void {
    return this.setUiHandler("confirm", handler);
  }

  /** Handles a choice of one of `options`. */
  onSelect(handler: DialogHandler<"select">): () => void {
    return this.setUiHandler("select", handler);
  }

  /** Handles a question for a line of text. */
  onInput(handler: DialogHandler<"input">): () => void {
    return this.setUiHandler("input", handler);
  }

  /** Handles the editing of a text. */
  onEditor(handler: DialogHandler<"editor">): () => void {
    return this.setUiHandler("editor", handler);
  }

  /** Shows a message. */
  onNotify(handler: DisplayHandler<"notify">): () => void {
    return this.setUiHandler("notify", handler);
  }

  /** Shows the status with a key, or removes it. */
  onStatus(handler: DisplayHandler<"setStatus">): () => void {
    return this.setUiHandler("setStatus", handler);
  }

  /** Shows the widget lines with a key, or removes them. */
  onWidget(handler: DisplayHandler<"setWidget">): () => void {
    return this.setUiHandler("setWidget", handler);
  }

  /** Shows a title. */
  onTitle(handler: DisplayHandler<"setTitle">): () => void {
    return this.setUiHandler("setTitle", handler);
  }

  /** Sets the text of the user's editor. */
  onEditorText(handler: DisplayHandler<"set_editor_text">): () => void {
    return this.setUiHandler("set_editor_text", handler);
  }
}
