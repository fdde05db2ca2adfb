import { finalAnswerOf, readTask } from "./tasks.ts";

/** A message of a request in the format of OpenAI's chat completions, as far as the script reads it. */
export interface RequestMessage {
  role: string;
  content?: string | readonly { text?: string }[] | null;
  tool_calls?: readonly { id: string; function: { name: string; arguments: string } }[];
  tool_call_id?: string;
}

/** The arguments of both tools. */
interface NoteArguments {
  task: string;
  /** From 1. */
  note: number;
  /** How often the model has asked for this note, from 1. */
  attempt: number;
}

/** The next answer of the model. */
export type ScriptedStep =
  | { kind: "call"; task: string; tool: "note" | "look"; id: string; arguments: NoteArguments }
  | { kind: "final"; task: string; text: string };

/** The result of `look` for a note that is there. */
const isThere = "The note is there.";
/** The result of `look` for a note that is missing. */
const isMissing = "There is no such note.";
/** The result of `note`. */
const isWritten = "The note is written.";

/**
 * The answer of the scripted model, which depends on the request alone, so that any process gets the same one. The model writes its notes one
 * after another. When the result of a call is unknown, it looks whether the note is there, and writes it again only if it is missing.
 *
 * @returns Undefined if the last prompt is no task.
 */
export function nextStep(messages: readonly RequestMessage[]): ScriptedStep | undefined {
  const start = messages.findLastIndex(({ role }) => role === "user");
  const task = readTask(textOf(messages[start]));
  if (!task) return undefined;
  let next: Pick<NoteArguments, "note" | "attempt"> & { tool: "note" | "look" } = { tool: "note", note: 1, attempt: 1 };
  for (const [tool, result] of resultsAfter(messages, start)) {
    const isDone = tool === "note" ? result === isWritten : result === isThere;
    if (isDone) next = { tool: "note", note: next.note + 1, attempt: 1 };
    else if (tool === "note") next = { ...next, tool: "look" };
    // The result of a look may be unknown, too.
    else if (result === isMissing) next = { ...next, tool: "note", attempt: next.attempt + 1 };
  }
  const { tool, note, attempt } = next;
  if (note > task.notes) return { kind: "final", task: task.id, text: finalAnswerOf(task.id) };
  const looks = tool === "look" ? `.look${resultsAfter(messages, start).length}` : "";
  const id = `${task.id}.${note}.${attempt}${looks}`;
  return { kind: "call", task: task.id, tool, id, arguments: { task: task.id, note, attempt } };
}

/** The tool and the result of each call after the prompt. */
function resultsAfter(messages: readonly RequestMessage[], start: number): [tool: string, result: string][] {
  const tools = new Map<string, string>();
  const results: [string, string][] = [];
  for (const message of messages.slice(start + 1)) {
    for (const call of message.tool_calls ?? []) tools.set(call.id, call.function.name);
    if (message.role === "tool") results.push([tools.get(message.tool_call_id ?? "") ?? "", textOf(message)]);
  }
  return results;
}

function textOf(message: RequestMessage | undefined): string {
  const content = message?.content ?? "";
  return typeof content === "string" ? content : content.map(({ text = "" }) => text).join("");
}
