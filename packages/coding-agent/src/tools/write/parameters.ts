import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";

export const writeParameters = Type.Object({
  path: Type.String({ description: "File to write, absolute or relative to the working folder" }),
  content: Type.String({ description: "The whole new content, stored exactly as given" }),
});

export type WriteParameters = Static<typeof writeParameters>;
