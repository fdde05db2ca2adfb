import { expect, test } from "vitest";
import { nextStep, type RequestMessage } from "../../demo/script.ts";

const prompt: RequestMessage = { role: "user", content: "Task s1-1: write 2 notes, then say that you are done." };

function call(id: string, name: string): RequestMessage {
  return { role: "assistant", content: null, tool_calls: [{ id, function: { name, arguments: "{}" } }] };
}

function result(id: string, content: string): RequestMessage {
  return { role: "tool", tool_call_id: id, content };
}

const firstNote = [prompt, call("s1-1.1.1", "note")];
const unknown = result("s1-1.1.1", "The result is unknown: the process that ran this call ended before it stored a result.");
const looked = [...firstNote, unknown, call("look", "look")];

function step(messages: readonly RequestMessage[]): string {
  const next = nextStep(messages);
  if (next?.kind !== "call") return next?.text ?? "nothing";
  return `${next.tool} ${next.id} ${JSON.stringify(next.arguments)}`;
}

test("the model writes each note, and then says that it is done", () => {
  const second = [...firstNote, result("s1-1.1.1", "The note is written.")];
  expect(step([prompt])).toBe('note s1-1.1.1 {"task":"s1-1","note":1,"attempt":1}');
  expect(step(second)).toBe('note s1-1.2.1 {"task":"s1-1","note":2,"attempt":1}');
  const all = [...second, call("s1-1.2.1", "note"), result("s1-1.2.1", "The note is written.")];
  expect(step(all)).toBe("Task s1-1 is done.");
  expect(
    step([...all, { role: "assistant", content: "Task s1-1 is done." }, { ...prompt, content: "Task s1-2: write 0 notes" }]),
  ).toBe("Task s1-2 is done.");
});

test("it looks after an unknown result, and writes the note again only if it is missing", () => {
  expect(step([...firstNote, unknown])).toBe('look s1-1.1.1.look1 {"task":"s1-1","note":1,"attempt":1}');
  expect(step([...looked, result("look", "The note is there.")])).toBe('note s1-1.2.1 {"task":"s1-1","note":2,"attempt":1}');
  expect(step([...looked, result("look", "There is no such note.")])).toBe('note s1-1.1.2 {"task":"s1-1","note":1,"attempt":2}');
  expect(step([...looked, result("look", "The result is unknown")])).toBe(
    'look s1-1.1.1.look2 {"task":"s1-1","note":1,"attempt":1}',
  );
});

test("it has no answer to another prompt", () => {
  expect(nextStep([{ role: "user", content: [{ text: "Hello" }] }])).toBeUndefined();
});
