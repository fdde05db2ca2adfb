import type { AgentTool } from "@pikit/agent";
import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import type { FileToolOptions } from "../files/file-access.ts";
import { loadRuns } from "../load-runs.ts";

const oldText = Type.String({ description: "Text to replace, copied exactly from the file; it must occur there exactly once" });
const newText = Type.String({ description: "Text to put in its place; empty to delete" });
const edit = Type.Object({ oldText, newText });

const parameters = Type.Object({
  path: Type.String({ description: "File to edit, absolute or relative to the working folder" }),
  oldText: Type.Optional(oldText),
  newText: Type.Optional(newText),
  edits: Type.Optional(
    // Some models write one edit where the list should be.
    Type.Union([Type.Array(edit), edit], {
      description:
        "Several replacements, made all or not at all; each oldText is looked for in the unchanged file, and none may overlap",
    }),
  ),
});

export type EditParameters = Static<typeof parameters>;

export interface EditDetails {
  /** Absolute, with links followed. */
  path: string;
  /** Unified diff with line numbers; applied to the old content it gives the new one. Empty when it would be over 256 KB. */
  diff: string;
  /** 1-based line in the new file. */
  firstChangedLine: number;
  /** How many edits were made. */
  replacements: number;
  /** How many of them matched only tolerantly. */
  tolerantMatches: number;
}

/** The `edit` tool for one working folder: replaces pieces of a text file. */
export function createEditTool(cwd: string, options: FileToolOptions = {}): AgentTool<typeof parameters, EditDetails> {
  return {
    name: "edit",
    label: "Edit",
    description:
      "Replaces text in a file: give oldText and newText, or edits for several places in one call. " +
      "Read the file first, copy oldText from it, and include enough lines that it occurs only once. LF also matches CRLF.",
    parameters,
    async execute(_toolCallId, params, signal) {
      return (await loadRuns()).runEdit(params, { cwd, signal, files: options.files });
    },
  };
}
