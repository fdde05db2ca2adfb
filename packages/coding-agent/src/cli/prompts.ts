import { basename } from "node:path";
import type { ImageContent } from "@pikit/ai";
import { UsageError } from "../errors.ts";
import type { PromptInput } from "../prompt/prompt-input.ts";
import { detectFileKind, kindHeadBytes } from "../tools/file-kind.ts";
import { readArgument } from "./read-argument.ts";

/** How long a pipe beside a prompt argument may be silent before we say that we wait for it. */
const noticeAfterMs = 1000;

/**
 * Makes the prompts of text and json modes: files and piped input go in front of the first text argument; each further text argument
 * is a prompt of its own.
 *
 * @throws {UsageError} Exit code 1, naming an `@file` that cannot be read.
 */
export async function readPrompts(args: readonly string[], cwd: string): Promise<PromptInput[]> {
  const texts = args.filter((arg) => !arg.startsWith("@"));
  const files = await Promise.all(args.filter((arg) => arg.startsWith("@")).map((arg) => readFileArgument(arg.slice(1), cwd)));
  const piped = await readPipedInput(texts.length > 0);
  const [first, ...others] = texts;
  const parts = [...files.map(({ text }) => text), piped, first].filter((part) => part !== undefined && part.trim() !== "");
  const images = files.flatMap(({ image }) => (image ? [image] : []));
  const prompts: PromptInput[] = parts.length > 0 || images.length > 0 ? [{ text: parts.join("\n\n"), images }] : [];
  return [...prompts, ...others.map((text) => ({ text }))];
}

async function readFileArgument(name: string, cwd: string): Promise<{ text?: string; image?: ImageContent }> {
  const bytes = await readArgument(name, cwd);
  const found = detectFileKind(bytes.subarray(0, kindHeadBytes));
  if (found.kind === "image") {
    const { prepareImage } = await import("../tools/images/prepare-image.ts");
    const { image, description } = await prepareImage(bytes);
    return { ...(image ? { image } : {}), text: `[image ${basename(name)}: ${description}]` };
  }
  if (found.kind === "binary") {
    throw new UsageError(`@${name} is neither text nor an image. Give a text file, PNG, JPEG, GIF or WebP.`, 1);
  }
  const body = new TextDecoder(found.encoding).decode(bytes).replaceAll("</file>", "<\\/file>");
  return { text: `<file name=${JSON.stringify(name)}>\n${body}\n</file>` };
}

/** All of stdin, unless it is a terminal. */
async function readPipedInput(hasPrompt: boolean): Promise<string | undefined> {
  if (process.stdin.isTTY) return undefined;
  const notice = hasPrompt
    ? setTimeout(
        () => process.stderr.write("Waiting for the end of the piped input (close stdin to go on without it).\n"),
        noticeAfterMs,
      )
    : undefined;
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of process.stdin) {
      clearTimeout(notice);
      chunks.push(chunk as Buffer);
    }
  } finally {
    clearTimeout(notice);
  }
  return Buffer.concat(chunks).toString("utf8").trimEnd();
}
