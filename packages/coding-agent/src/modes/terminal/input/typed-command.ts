/** The meaning of a submitted text. */
export type TypedCommand =
  /** A shell command: `!command`, or `!!command`, whose output the model does not get. */
  | { kind: "shell"; command: string; isForModel: boolean }
  /** `/name args`. It may be a command of the mode or of the session, a template, or a text that only looks like a command. */
  | { kind: "command"; name: string; args: string }
  | { kind: "prompt"; text: string }
  | { kind: "empty" };

/** Names have no `/`, so that paths such as `/etc/hosts` are prompts. */
const commandPattern = /^\/([^\s/]+)(?:\s+([\s\S]*))?$/;
const shellPattern = /^(!!?)(?!!)\s*(\S[\s\S]*)$/;

/** Finds out whether a submitted text is a shell command, a command or a prompt. Space around it does not matter. */
export function readTypedCommand(typed: string): TypedCommand {
  const text = typed.trim();
  if (text === "") return { kind: "empty" };
  const [, marks, command] = shellPattern.exec(text) ?? [];
  if (command !== undefined) return { kind: "shell", command, isForModel: marks === "!" };
  const [, name, args = ""] = commandPattern.exec(text) ?? [];
  return name === undefined ? { kind: "prompt", text } : { kind: "command", name, args };
}
