import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";

export type BashSchema = ReturnType<typeof createBashParameters>;

export type BashParameters = Static<BashSchema>;

/** @param defaultTimeoutSeconds - For calls that ask for no timeout. 0 is no limit. */
export function createBashParameters(defaultTimeoutSeconds: number) {
  const byDefault = defaultTimeoutSeconds > 0 ? `${defaultTimeoutSeconds}` : "no limit";
  return Type.Object({
    command: Type.String({ description: "Command for bash, run unchanged in the working folder; it may have several lines" }),
    timeout: Type.Optional(
      Type.Number({
        // A millisecond; models that say 0 mean "at once" as often as "never".
        minimum: 0.001,
        description: `Seconds until the command and everything it started is killed; more than 0 (default: ${byDefault})`,
      }),
    ),
  });
}
