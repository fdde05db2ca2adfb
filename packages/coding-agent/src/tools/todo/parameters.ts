import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";
import { TodoStatusSchema } from "../../protocol/data.ts";

export const todoParameters = Type.Object({
  phases: Type.Array(
    Type.Object({
      name: Type.String({ minLength: 1, description: "What the tasks of this phase have in common" }),
      tasks: Type.Array(
        Type.Object({
          content: Type.String({
            minLength: 1,
            description: "One thing to do, in a few words; keep the words when you send it again",
          }),
          status: TodoStatusSchema,
        }),
      ),
    }),
    { description: "The whole list, in the order of the work; it replaces the one before. An empty array clears it." },
  ),
});

export type TodoParameters = Static<typeof todoParameters>;
