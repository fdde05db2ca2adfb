import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";

export const bashParameters = Type.Object({
  command: Type.String({ description: "Command for bash, run unchanged in the working folder; it may have several lines" }),
  timeout: Type.Optional(
    Type.Number({
      // A millisecond. 0 is not allowed, because models use it for "at once" as well as for "never".
      minimum: 0.001,
      description: "Seconds until the command and everything it started is killed; more than 0",
    }),
  ),
  outsideSandbox: Type.Optional(
    Type.String({
      description:
        "Why this command must run outside of the sandbox, in one sentence for the user, who is asked each time. Only after the sandbox has refused it",
    }),
  ),
});

export type BashParameters = Static<typeof bashParameters>;
