import type { ScriptedAnswer } from "@pikit/ai";

/** One prompt of a soak: what the model answers it with, and what happens meanwhile. */
export interface SoakPrompt {
  /** As many answers as the prompt asks for, whatever happens. */
  answers: ScriptedAnswer[];
  /** At the first event of this type: what is done. */
  during?: { event: "tool_execution_start" | "tool_execution_update" | "text_delta"; act: "abort" | "steer" | "followUp" };
  /** The stop reason of its last answer. */
  ending: "stop" | "aborted" | "error";
}

const bash = (...commands: string[]): ScriptedAnswer => ({
  text: "Running.",
  toolCalls: commands.map((command) => ({ name: "bash", arguments: { command } })),
});
const done: ScriptedAnswer = { text: "Done, and here are some more words to stream." };
const slow: ScriptedAnswer = { text: "a word ".repeat(500), delayMs: 100 };
const overloaded: ScriptedAnswer = { error: { status: 529, message: "overloaded" } };

const kinds: readonly SoakPrompt[] = [
  { answers: [bash("echo one", "echo two"), done], ending: "stop" },
  { answers: [bash("seq 3000"), done], ending: "stop" },
  { answers: [bash("echo fails >&2; exit 3"), bash("echo again"), done], ending: "stop" },
  {
    answers: [bash("echo started; sleep 600 & sleep 600", "echo never")],
    during: at("tool_execution_update", "abort"),
    ending: "aborted",
  },
  { answers: [bash("sleep 600")], during: at("tool_execution_start", "abort"), ending: "aborted" },
  { answers: [slow], during: at("text_delta", "abort"), ending: "aborted" },
  { answers: [bash("echo x"), done], during: at("tool_execution_start", "steer"), ending: "stop" },
  { answers: [bash("echo y"), done, done], during: at("tool_execution_start", "followUp"), ending: "stop" },
  { answers: [overloaded, overloaded, done], ending: "stop" },
  {
    answers: [{ toolCalls: [{ name: "read", arguments: { path: "absent" } }] }, { error: { status: 400, message: "no" } }],
    ending: "error",
  },
];

/** Prompts that are answered, aborted at every phase, steered, retried and failed, over and over. */
export function soakPrompts(count: number): SoakPrompt[] {
  return Array.from({ length: count }, (_, index) => kinds[index % kinds.length] as SoakPrompt);
}

/** So often a new conversation is begun, so that the transcript does not grow without end: after each kind of prompt once. */
export const promptsPerSession: number = kinds.length;

function at(
  event: NonNullable<SoakPrompt["during"]>["event"],
  act: NonNullable<SoakPrompt["during"]>["act"],
): NonNullable<SoakPrompt["during"]> {
  return { event, act };
}
