import type { TerminalInterface, WidgetFactory } from "../terminal-interface.ts";

export interface ExtensionDialogOptions {
  /** An abort resolves the dialog with its default. Default: the handler's signal. */
  signal?: AbortSignal;
  /** Milliseconds until the dialog resolves with its default. Default: no limit. The wait does not count against the handler's time limit. */
  timeoutMs?: number;
  /** The same as `timeoutMs`. */
  timeout?: number;
}

/** Where a widget is. Default: above the editor. */
export type WidgetPlacement = "aboveEditor" | "belowEditor";

/**
 * The user interface, in every mode. Without a user (print and JSON mode) each dialog resolves at once with its default. Without a terminal of
 * pi, the members of `TerminalInterface` have no effect: `custom` resolves with undefined, and the theme has no colours.
 */
export interface ExtensionUi extends TerminalInterface {
  /** Default: undefined. */
  select(title: string, options: readonly string[], dialog?: ExtensionDialogOptions): Promise<string | undefined>;
  /** Default: false. */
  confirm(title: string, message: string, dialog?: ExtensionDialogOptions): Promise<boolean>;
  /** A line of text. Default: undefined. */
  input(title: string, placeholder?: string, dialog?: ExtensionDialogOptions): Promise<string | undefined>;
  /** A longer text. Default: undefined. */
  editor(title: string, prefill?: string, dialog?: ExtensionDialogOptions): Promise<string | undefined>;
  notify(message: string, type?: "info" | "warning" | "error"): void;
  /** Sets the status line with this key. Without text, removes it. */
  setStatus(key: string, text?: string): void;
  /** Shows lines beside the editor, in the terminal also a component, identified by a key. Without content, removes them. */
  setWidget(
    key: string,
    content?: readonly string[] | WidgetFactory,
    options?: WidgetPlacement | { placement?: WidgetPlacement },
  ): void;
  setTitle(title: string): void;
  /** Sets the text of the prompt editor. */
  setEditorText(text: string): void;
}
