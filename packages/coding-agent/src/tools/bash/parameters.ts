import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";

export type BashSchema = ReturnType<typeof createBashParameters>;

export type BashParameters = Static<BashSchema>;

/** @param defaultTimeoutSeconds - The timeout of calls without one. 0: no limit. */
export function createBashParameters(defaultTimeoutSeconds: number) {
  const byDefault = defaultTimeoutSeconds > 0 ? `${defaultTimeoutSeconds}` : "no limit";
  return Type.Object({
    command: Type.String({ description: "Command for bash, run unchanged in the working folder; it may have several lines" }),
    timeout: Type.Optional(
      Type.Number({
        // A millisecond. 0 is not allowed, because models use it for "at once" as well as for "never".
        minimum: 0.001,
        description: `Seconds until the command and everything it started is killed; more than 0 (default: ${byDefault})`,
      }),
    ),
  });
}
