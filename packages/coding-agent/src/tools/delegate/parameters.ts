import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";

export const delegateParameters = Type.Object({
  task: Type.String({
    minLength: 1,
    description: "What to do and what to report, complete: the sub-task sees nothing of this conversation, only the working folder",
  }),
  tools: Type.Optional(
    Type.Array(Type.String(), {
      description: "Names of tools that it may use (default: all of yours). Fewer keep it to the point.",
    }),
  ),
});

export type DelegateParameters = Static<typeof delegateParameters>;
