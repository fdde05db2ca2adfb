import { UsageError } from "../errors.ts";
import { joinPrompt } from "../modes/files-in-prompt.ts";
import { type PromptFile, toPromptFile } from "../modes/prompt-files.ts";
import type { PromptInput } from "../prompt/prompt-input.ts";
import type { Arguments } from "./args.ts";
import { openStdin, readPipedInput } from "./piped-input.ts";
import { readArgument } from "./read-argument.ts";

/**
 * Reads the `@file` arguments.
 *
 * @throws {UsageError} With exit code 1, for a file that cannot be read.
 */
export function readFileArguments(args: readonly string[], cwd: string): Promise<PromptFile[]> {
  return Promise.all(args.filter((arg) => arg.startsWith("@")).map((arg) => readFileArgument(arg.slice(1), cwd)));
}

/**
 * Builds the prompts for the text and json modes. The first prompt has the files, the piped input and the first text argument; each further
 * text argument is another prompt. Waits for the end of the piped input.
 *
 * @throws {UsageError} When the prompt is empty.
 */
export async function readPrompts(args: readonly string[], files: readonly PromptFile[]): Promise<PromptInput[]> {
  const texts = args.filter((arg) => !arg.startsWith("@"));
  const piped = process.stdin.isTTY ? undefined : await readPipedInput(openStdin(), { hasPrompt: texts.length > 0 });
  const [first, ...others] = texts;
  const text = joinPrompt([...files.map((file) => file.text), piped, first]);
  const images = files.flatMap(({ image }) => (image ? [image] : []));
  const prompts: PromptInput[] = text !== "" || images.length > 0 ? [{ text, images }] : [];
  if (prompts.length === 0)
    throw new UsageError("no_prompt", "The prompt is empty, and so is stdin. Give a prompt argument, or pipe one.");
  return [...prompts, ...others.map((text) => ({ text }))];
}

/** The prompts of the command line of a conversation; none if there are no arguments. */
export async function readGivenPrompts({ prompts }: Pick<Arguments, "prompts">, cwd: string): Promise<PromptInput[]> {
  return prompts.length === 0 ? [] : readPrompts(prompts, await readFileArguments(prompts, cwd));
}

async function readFileArgument(name: string, cwd: string): Promise<PromptFile> {
  const file = await toPromptFile(name, await readArgument(name, cwd));
  if (file) return file;
  throw new UsageError("unreadable_file", `@${name} is neither text nor an image. Give a text file, PNG, JPEG, GIF or WebP.`);
}
