import type { TerminalInterface } from "../terminal-interface.ts";
import type { DialogOptions, UserInterface } from "../user-interface.ts";
import type { ExtensionDialogOptions, ExtensionUi } from "./api-ui.ts";
import type { HandlerClock } from "./handler-clock.ts";
import { createInertTerminal } from "./inert-terminal.ts";

type DialogKind = "select" | "confirm" | "input" | "editor";

/** Called when a dialog opens. Returns a function that is called when it is answered. */
export type AskingListener = (kind: DialogKind, title: string) => () => void;

/** The user interface of a handler. Dialogs end with the handler, and waiting for an answer does not count against its time limit. */
export function createExtensionUi(
  user: UserInterface,
  clock: HandlerClock,
  onAsking: AskingListener = () => () => {},
): ExtensionUi {
  const ask = async <T>(
    kind: DialogKind,
    title: string,
    open: (options: DialogOptions) => Promise<T>,
    dialog: ExtensionDialogOptions = {},
  ): Promise<T> => {
    const onAnswered = onAsking(kind, title);
    try {
      return await clock.whileAsking(open(toDialogOptions(dialog, clock.signal)));
    } finally {
      onAnswered();
    }
  };
  const dialogs: Omit<ExtensionUi, keyof TerminalInterface> = {
    select: (title, choices, dialog) =>
      ask("select", title, (options) => user.select({ title, options: choices }, options), dialog),
    confirm: (title, message, dialog) => ask("confirm", title, (options) => user.confirm({ title, message }, options), dialog),
    input: (title, placeholder, dialog) =>
      ask(
        "input",
        title,
        (options) => user.input({ title, ...(placeholder === undefined ? {} : { placeholder }) }, options),
        dialog,
      ),
    editor: (title, prefill, dialog) =>
      ask("editor", title, (options) => user.editor({ title, ...(prefill === undefined ? {} : { prefill }) }, options), dialog),
    notify: (message, type) => user.notify(message, type),
    setStatus: (key, text) => user.setStatus(key, text),
    setWidget(key, content, options) {
      const placement = typeof options === "object" ? options.placement : options;
      if (typeof content === "function") user.terminal?.setWidgetComponent(key, content, placement);
      else user.setWidget(key, content, placement);
    },
    setTitle: (title) => user.setTitle(title),
    setEditorText: (text) => user.setEditorText(text),
  };
  // An object of its own: the theme is that of the moment, and methods can be taken out of the object.
  return Object.defineProperties(dialogs, terminalMembers(user, clock)) as ExtensionUi;
}

/** The members for the terminal. They ask for it at each use, because a session can be moved to another user interface. */
function terminalMembers(user: UserInterface, clock: HandlerClock): PropertyDescriptorMap {
  const inert = createInertTerminal(user);
  const terminal = (): TerminalInterface => user.terminal ?? inert;
  const custom: TerminalInterface["custom"] = (factory, options) =>
    clock.whileAsking(terminal().custom(factory, { signal: clock.signal, ...options }));
  const members: PropertyDescriptorMap = { theme: { get: () => terminal().theme, enumerable: true } };
  for (const name of Object.keys(inert) as (keyof TerminalInterface)[]) {
    if (name === "theme") continue;
    const value = (...args: never[]) => (terminal()[name] as (...args: never[]) => unknown)(...args);
    members[name] = { value: name === "custom" ? custom : value, enumerable: true };
  }
  return members;
}

function toDialogOptions({ signal, timeoutMs, timeout }: ExtensionDialogOptions, ofHandler: AbortSignal): DialogOptions {
  const limitMs = timeoutMs ?? timeout;
  return { signal: signal ?? ofHandler, ...(limitMs === undefined ? {} : { timeoutMs: limitMs }) };
}
