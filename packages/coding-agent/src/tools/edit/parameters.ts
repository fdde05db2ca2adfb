import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";

const oldText = Type.String({ description: "Text to replace, copied exactly from the file; it must occur there exactly once" });
const newText = Type.String({ description: "Text to put in its place; empty to delete" });
const edit = Type.Object({ oldText, newText });

export const editParameters = Type.Object({
  path: Type.String({ description: "File to edit, absolute or relative to the working folder" }),
  oldText: Type.Optional(oldText),
  newText: Type.Optional(newText),
  edits: Type.Optional(
    // Some models give a single edit instead of a list.
    Type.Union([Type.Array(edit), edit], {
      description:
        "Several replacements, made all or not at all; each oldText is looked for in the unchanged file, and none may overlap",
    }),
  ),
});

export type EditParameters = Static<typeof editParameters>;
