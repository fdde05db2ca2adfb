import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import { defaultOutputLimits } from "../../exec/output-limits.ts";

const { maxLines } = defaultOutputLimits;

export const readParameters = Type.Object({
  path: Type.String({ description: "File to read, absolute or relative to the working folder" }),
  offset: Type.Optional(Type.Integer({ minimum: 1, description: "1-based number of the first line to return (default 1)" })),
  limit: Type.Optional(Type.Integer({ minimum: 1, description: `Most lines to return (default and maximum ${maxLines})` })),
});

export type ReadParameters = Static<typeof readParameters>;
