import type { ImageContent } from "@pikit/ai";
import type { PromptInput } from "../../prompt/prompt-input.ts";
import type { StreamingBehavior } from "../../protocol/data.ts";
import { errorText } from "./error-text.ts";
import type { ExpandedPrompt } from "./input/expand-files.ts";
import { readTypedCommand } from "./input/typed-command.ts";
import type { Stage } from "./stage.ts";

/** A text that the user has sent. */
export interface Submission {
  text: string;
  images: readonly ImageContent[];
  /** How a prompt is queued while the agent works. */
  behavior: StreamingBehavior;
}

/**
 * Does what the user has typed: runs a shell command or a command of the terminal, or sends a prompt. Resolves when that is accepted.
 *
 * @throws Errors with messages for the user. Nothing has happened then.
 */
export async function submit(
  stage: Stage,
  runShell: (command: string, isForModel: boolean) => Promise<void>,
  { text, images, behavior }: Submission,
): Promise<void> {
  const typed = readTypedCommand(text);
  switch (typed.kind) {
    case "empty":
      if (images.length > 0) await sendPrompt(stage, { text: "", images, behavior });
      return;
    case "shell":
      return runShell(typed.command, typed.isForModel);
    case "command": {
      const { describeUnknownCommand, findCommand } = await import("./commands/find-command.ts");
      const call = findCommand(text, stage.session);
      if (call) return call.command.run(stage, call.args);
      const problem = await describeUnknownCommand(stage.session, text);
      if (problem === undefined) return sendPrompt(stage, { text, images, behavior });
      throw new Error(problem);
    }
    case "prompt":
      return sendPrompt(stage, { text, images, behavior });
  }
}

async function sendPrompt(stage: Stage, { text, images, behavior }: Submission): Promise<void> {
  const { session } = stage;
  const expanded = await expand(text, session.cwd);
  for (const problem of expanded.problems) stage.note(problem, "warning");
  const all = [...images, ...expanded.images];
  const { settled } = await session.submit(expanded.text, { images: all, streamingBehavior: behavior });
  settled.catch((error: unknown) => stage.note(errorText(error), "error"));
}

async function expand(text: string, cwd: string): Promise<ExpandedPrompt> {
  if (!text.includes("@")) return { text, images: [], problems: [] };
  return (await import("./input/expand-files.ts")).expandFiles(text, cwd);
}

/** Sends the prompts of the command line. Failures are shown. */
export async function sendPrompts(stage: Stage, prompts: readonly PromptInput[]): Promise<void> {
  const { session } = stage;
  for (const { text, ...input } of prompts) {
    if (session.shutdown.isRequested) break;
    // The first one starts a run; the others follow it.
    const sent = session.submit(text, { ...input, streamingBehavior: "followUp" });
    await sent.catch((error: unknown) => stage.note(errorText(error), "error"));
  }
}
