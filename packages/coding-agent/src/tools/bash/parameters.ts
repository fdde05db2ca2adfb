import type { Static } from "@sinclair/typebox";
import * as Type from "@sinclair/typebox";

const leaving = Type.Optional(
  Type.String({
    description:
      "Why this command must run outside of the sandbox, in one sentence for the user, who is asked each time. Only after the sandbox has refused it",
  }),
);

export type BashSchema = ReturnType<typeof createBashParameters>;

export type BashParameters = Static<BashSchema>;

/**
 * @param defaultTimeoutSeconds - The timeout of calls without one. 0: no limit.
 * @param canLeave - Whether a command may ask to run outside of the sandbox.
 */
export function createBashParameters(defaultTimeoutSeconds: number, canLeave = false) {
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
    // The type has it in both cases: a model may give what it is not offered.
    ...((canLeave ? { outsideSandbox: leaving } : {}) as { outsideSandbox: typeof leaving }),
  });
}
