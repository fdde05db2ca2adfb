import type { SessionHeader } from "@pikit/coding-agent";
import { SessionError } from "@pikit/coding-agent/errors";

/** The version of the session format that this package stores. */
const sessionVersion = 3;

/**
 * Parses the line of a header.
 *
 * @throws {SessionError} `not_a_session`, `unsupported_version`.
 */
export function readHeader(line: string, name: string): SessionHeader {
  const value = tryParse(line) as Partial<Record<keyof SessionHeader, unknown>> | null | undefined;
  if (value?.type !== "session" || typeof value.id !== "string") {
    throw new SessionError("not_a_session", `${name} is not a session: its first line is not a session header.`);
  }
  if (value.version !== sessionVersion) {
    throw new SessionError(
      "unsupported_version",
      `The session ${name} has format ${String(value.version)}, but this version of @pikit/postgres knows format ${sessionVersion}. Update @pikit/postgres.`,
    );
  }
  return value as SessionHeader;
}

function tryParse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
