/** The thing before the cursor that can be completed. `prefix` is the text that the completion replaces; it ends at the cursor. */
export type CompletionPlace =
  /** The name of a command, such as `/mod`. */
  | { kind: "command"; prefix: string; name: string }
  /** The arguments of a command, `prefix` being all of them. */
  | { kind: "argument"; prefix: string; command: string }
  /** A file after `@`. */
  | { kind: "mention"; prefix: string; path: string }
  /** Another path. `shell`: in a shell command, where names are quoted for the shell. */
  | { kind: "path"; prefix: string; path: string; style: "shell" | "text"; quote: Quote };

export type Quote = '"' | "'" | "";

const commandPattern = /^\s*(\/([^\s/]*))$/;
const argumentPattern = /^\s*\/([^\s/]+)\s+(.*)$/s;
const mentionPattern = /(?:^|[\s([{"'`])(@(?:"([^"]*)|([^\s"]*)))$/;

/**
 * Finds out what is to be completed.
 *
 * @param before - The line before the cursor.
 * @param isFirstLine - Whether it is the first line of the text, where commands are.
 * @param isShell - Whether the text is a shell command.
 * @returns All possibilities, the best first.
 */
export function completionPlaces(before: string, isFirstLine: boolean, isShell: boolean): CompletionPlace[] {
  if (isShell) return [shellPlace(before)];
  const places: CompletionPlace[] = [];
  const [, commandPrefix, name] = (isFirstLine && commandPattern.exec(before)) || [];
  if (commandPrefix !== undefined && name !== undefined) places.push({ kind: "command", prefix: commandPrefix, name });
  const [, mentionPrefix, quoted, plain] = mentionPattern.exec(before) ?? [];
  if (mentionPrefix !== undefined) places.push({ kind: "mention", prefix: mentionPrefix, path: quoted ?? plain ?? "" });
  const [, command, argument] = (isFirstLine && argumentPattern.exec(before)) || [];
  if (command !== undefined && argument !== undefined) places.push({ kind: "argument", prefix: argument, command });
  if (mentionPrefix === undefined) places.push(textPlace(before));
  return places;
}

function textPlace(before: string): CompletionPlace {
  const [, quote, quoted, plain = ""] = /(?:^|\s)(?:(["'])((?:(?!\1).)*)|(\S*))$/s.exec(before) ?? [];
  if (quoted === undefined) return { kind: "path", prefix: plain, path: plain, style: "text", quote: "" };
  const mark = quote === "'" ? "'" : '"';
  return { kind: "path", prefix: mark + quoted, path: quoted, style: "text", quote: mark };
}

/** Reads the last word as a shell does. */
function shellPlace(line: string): CompletionPlace {
  const marks = /^\s*!{0,2}/.exec(line)?.[0].length ?? 0;
  let start = marks;
  let path = "";
  let quote: Quote = "";
  for (let at = marks; at < line.length; at++) {
    const character = line.charAt(at);
    const isEscape = character === "\\" && quote !== "'";
    if (isEscape && at + 1 < line.length) path += line.charAt(++at);
    else if (quote !== "" && character === quote) quote = "";
    else if (quote === "" && (character === '"' || character === "'")) quote = character;
    else if (quote === "" && /[\s;|&<>()=]/.test(character)) {
      start = at + 1;
      path = "";
    } else path += character;
  }
  return { kind: "path", prefix: line.slice(start), path, style: "shell", quote };
}
