import type { AgentTool } from "@pikit/agent";
import { defaultOutputLimits } from "../../exec/output-limits.ts";
import type { FileToolOptions } from "../files/file-access.ts";
import { formatSize } from "../output/truncate.ts";
import { readParameters } from "./parameters.ts";
import type { ReadDetails } from "./run.ts";

const { maxLines, maxBytes } = defaultOutputLimits;

/** The `read` tool for one working folder: returns lines of text files, and images as images. */
export function createReadTool(cwd: string, options: FileToolOptions = {}): AgentTool<typeof readParameters, ReadDetails> {
  return {
    name: "read",
    label: "Read",
    description:
      `Reads a text file or an image (PNG, JPEG, GIF, WebP). Text comes as at most ${maxLines} lines or ${formatSize(maxBytes)}, ` +
      "whichever is less, always whole lines; a note at the end tells the offset to go on with. " +
      "A large image is scaled down; a note tells by how much.",
    parameters: readParameters,
    executionMode: "parallel",
    async execute(_toolCallId, params, signal) {
      return (await import("./run.ts")).runRead(params, { cwd, signal, files: options.files });
    },
  };
}
