import { basename } from "node:path";
import type { ImageContent } from "@pikit/ai";
import { UsageError } from "../errors.ts";
import type { PromptInput } from "../prompt/prompt-input.ts";
import { detectFileKind, kindHeadBytes } from "../tools/files/file-kind.ts";
import { openStdin, readPipedInput } from "./piped-input.ts";
import { readArgument } from "./read-argument.ts";

/** The content of an `@file` argument. */
export interface FileArgument {
  text?: string;
  image?: ImageContent;
}

/**
 * Reads the `@file` arguments.
 *
 * @throws {UsageError} With exit code 1, for a file that cannot be read.
 */
export function readFileArguments(args: readonly string[], cwd: string): Promise<FileArgument[]> {
  return Promise.all(args.filter((arg) => arg.startsWith("@")).map((arg) => readFileArgument(arg.slice(1), cwd)));
}

/**
 * Builds the prompts for the text and json modes. The first prompt has the files, the piped input and the first text argument; each further
 * text argument is another prompt. Waits for the end of the piped input.
 *
 * @throws {UsageError} When the prompt is empty.
 */
export async function readPrompts(args: readonly string[], files: readonly FileArgument[]): Promise<PromptInput[]> {
  const texts = args.filter((arg) => !arg.startsWith("@"));
  const piped = process.stdin.isTTY ? undefined : await readPipedInput(openStdin(), { hasPrompt: texts.length > 0 });
  const [first, ...others] = texts;
  const parts = [...files.map(({ text }) => text), piped, first].filter((part) => part !== undefined && part.trim() !== "");
  const images = files.flatMap(({ image }) => (image ? [image] : []));
  const prompts: PromptInput[] = parts.length > 0 || images.length > 0 ? [{ text: parts.join("\n\n"), images }] : [];
  if (prompts.length === 0)
    throw new UsageError("no_prompt", "The prompt is empty, and so is stdin. Give a prompt argument, or pipe one.");
  return [...prompts, ...others.map((text) => ({ text }))];
}

async function readFileArgument(name: string, cwd: string): Promise<FileArgument> {
  const bytes = await readArgument(name, cwd);
  const found = detectFileKind(bytes.subarray(0, kindHeadBytes));
  if (found.kind === "image") {
    const { prepareImage } = await import("../tools/images/prepare-image.ts");
    const { image, description } = await prepareImage(bytes);
    return { ...(image ? { image } : {}), text: `[image ${basename(name)}: ${description}]` };
  }
  if (found.kind === "binary") {
    throw new UsageError("unreadable_file", `@${name} is neither text nor an image. Give a text file, PNG, JPEG, GIF or WebP.`);
  }
  const body = new TextDecoder(found.encoding).decode(bytes).replaceAll("</file>", "<\\/file>");
  return { text: `<file name=${JSON.stringify(name)}>\n${body}\n</file>` };
}
