import type { ProcessRunner } from "../../exec/run-process.ts";
import type { Core } from "./core.ts";

/**
 * A runner whose commands get the state of the session in their environment: `PI_SESSION_ID`, `PI_SESSION_FILE` (not without a file),
 * `PI_PROVIDER`, `PI_MODEL` and `PI_REASONING_LEVEL`.
 *
 * @param usual - The environment of commands without one of their own. Default: that of this process.
 */
export function withSessionVariables(
  run: ProcessRunner,
  { transcript, models }: Pick<Core, "transcript" | "models">,
  usual?: NodeJS.ProcessEnv,
): ProcessRunner {
  return ({ env = usual ?? process.env, ...options }) => {
    const { header, path } = transcript.conversation;
    // Values of a session that has started this process do not apply.
    const { PI_SESSION_FILE: _file, PI_PROVIDER: _provider, PI_MODEL: _model, ...others } = env;
    return run({
      ...options,
      env: {
        ...others,
        PI_SESSION_ID: header.id,
        ...(path === null ? {} : { PI_SESSION_FILE: path }),
        ...(models.current ? { PI_PROVIDER: models.current.provider, PI_MODEL: models.current.id } : {}),
        PI_REASONING_LEVEL: models.level,
      },
    });
  };
}
