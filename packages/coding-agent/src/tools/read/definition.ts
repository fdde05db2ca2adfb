import type { AgentTool } from "@pikit/agent";
import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import { defaultOutputLimits } from "../../exec/output-limits.ts";
import type { FileToolOptions } from "../files/file-access.ts";
import type { Size } from "../images/image-limits.ts";
import { loadRuns } from "../load-runs.ts";
import { formatSize } from "../output/truncate.ts";

const { maxLines, maxBytes } = defaultOutputLimits;

const parameters = Type.Object({
  path: Type.String({ description: "File to read, absolute or relative to the working folder" }),
  offset: Type.Optional(Type.Integer({ minimum: 1, description: "1-based number of the first line to return (default 1)" })),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: `Most lines to return (default and maximum ${maxLines})` })),
});

export type ReadParameters = Static<typeof parameters>;

export interface ReadDetails {
  /** Absolute. */
  path: string;
  /** `image/png` and the like for an image, as its file is; else absent. */
  mimeType?: string;
  /** Of an image: pixels of the file, upright. */
  imageSize?: Size;
  /** Of an image that is shown: pixels of what the model gets, which may be scaled down. */
  shownImageSize?: Size;
  /** Whether lines are missing after those returned. */
  truncated: boolean;
  truncatedBy: "lines" | "bytes" | null;
  /** 1-based number of the first line returned. */
  firstLine: number;
  outputLines: number;
  /** UTF-8 bytes. */
  outputBytes: number;
  /** null when the file is too long to count them, or not text. */
  totalLines: number | null;
}

/** The `read` tool for one working folder: text by lines, images as images. */
export function createReadTool(cwd: string, options: FileToolOptions = {}): AgentTool<typeof parameters, ReadDetails> {
  return {
    name: "read",
    label: "Read",
    description:
      `Reads a text file or an image (PNG, JPEG, GIF, WebP). Text comes as at most ${maxLines} lines or ${formatSize(maxBytes)}, ` +
      "whichever is less, always whole lines; a note at the end tells the offset to go on with. " +
      "A large image is scaled down; a note tells by how much.",
    parameters,
    executionMode: "parallel",
    async execute(_toolCallId, params, signal) {
      return (await loadRuns()).runRead(params, { cwd, signal, files: options.files });
    },
  };
}
