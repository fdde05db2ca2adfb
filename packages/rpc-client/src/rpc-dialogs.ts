import { RpcCommands } from "./rpc-commands.ts";
import type { DialogHandler, DisplayHandler, UiHandler, UiMethod } from "./ui-handlers.ts";

/**
 * How a program answers the agent's questions to the user and shows what the agent wants to be seen. There is one handler of each kind, the
 * last one set; each method returns a function that takes it away. A dialog without a handler is cancelled at once; what nobody shows is
 * dropped.
 */
export abstract class RpcDialogs extends RpcCommands {
  /** @returns a function that takes the handler away, unless it was replaced since. */
  protected abstract setUiHandler<M extends UiMethod>(method: M, handler: UiHandler<M>): () => void;

  /** Asks the user yes or no. */
  onConfirm(handler: DialogHandler<"confirm">): () => void {
    return this.setUiHandler("confirm", handler);
  }

  /** Lets the user choose one of `options`. */
  onSelect(handler: DialogHandler<"select">): () => void {
    return this.setUiHandler("select", handler);
  }

  /** Asks the user for a line of text. */
  onInput(handler: DialogHandler<"input">): () => void {
    return this.setUiHandler("input", handler);
  }

  /** Lets the user edit a text. */
  onEditor(handler: DialogHandler<"editor">): () => void {
    return this.setUiHandler("editor", handler);
  }

  /** Shows a message. */
  onNotify(handler: DisplayHandler<"notify">): () => void {
    return this.setUiHandler("notify", handler);
  }

  /** Shows a status under its key, or takes it away. */
  onStatus(handler: DisplayHandler<"setStatus">): () => void {
    return this.setUiHandler("setStatus", handler);
  }

  /** Shows lines under their key, or takes them away. */
  onWidget(handler: DisplayHandler<"setWidget">): () => void {
    return this.setUiHandler("setWidget", handler);
  }

  /** Shows a title. */
  onTitle(handler: DisplayHandler<"setTitle">): () => void {
    return this.setUiHandler("setTitle", handler);
  }

  /** Puts a text where the user writes. */
  onEditorText(handler: DisplayHandler<"set_editor_text">): () => void {
    return this.setUiHandler("set_editor_text", handler);
  }
}
