import type { DialogOptions, UserInterface } from "../user-interface.ts";
import type { ExtensionDialogOptions, ExtensionUi } from "./api.ts";
import type { HandlerClock } from "./handler-clock.ts";

/** The user interface of a handler. Dialogs end with the handler, and waiting for an answer does not count against its time limit. */
export function createExtensionUi(user: UserInterface, clock: HandlerClock): ExtensionUi {
  const ask = <T>(open: (options: DialogOptions) => Promise<T>, dialog: ExtensionDialogOptions = {}): Promise<T> =>
    clock.whileAsking(open({ ...dialog, signal: dialog.signal ?? clock.signal }));
  return {
    select: (title, choices, dialog) => ask((options) => user.select({ title, options: choices }, options), dialog),
    confirm: (title, message, dialog) => ask((options) => user.confirm({ title, message }, options), dialog),
    input: (title, placeholder, dialog) =>
      ask((options) => user.input({ title, ...(placeholder === undefined ? {} : { placeholder }) }, options), dialog),
    editor: (title, prefill, dialog) =>
      ask((options) => user.editor({ title, ...(prefill === undefined ? {} : { prefill }) }, options), dialog),
    notify: (message, type) => user.notify(message, type),
    setStatus: (key, text) => user.setStatus(key, text),
    setWidget: (key, lines, placement) => user.setWidget(key, lines, placement),
    setTitle: (title) => user.setTitle(title),
    setEditorText: (text) => user.setEditorText(text),
  };
}
