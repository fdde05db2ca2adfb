import type { AgentProcessError, RpcError } from "./errors.ts";

/** A line on its way to the agent, as far as a transport must know it. */
export interface SentRecord extends Record<string, unknown> {
  type: string;
  /** The id of a command, or of the question that a frame answers. */
  id: string;
}

/** Carries records to and from an agent: through the pipes of a process, or over connections to a server. */
export interface Transport {
  /** Sends a line, or keeps it until it can be sent. If the agent is gone, the line is dropped without an error. */
  write(line: string, record: SentRecord): void;
  /** Pauses or resumes the reading of the agent's output. */
  setReading(isReading: boolean): void;
  /** Called when a command no longer waits for its response. */
  forget?(id: string): void;
}

export interface TransportHandlers {
  /** Called for each line or message. `record` is undefined if it is not a JSON object. */
  onRecord: (record: Record<string, unknown> | undefined, line: string) => void;
  /** Called for a line that is too long to be read. */
  onTooLong: () => void;
  /** Called when a command will get no response. */
  onLost: (id: string, reason: RpcError) => void;
  /** Called once, when the agent is gone and all its output has been read. */
  onClose: (reason: AgentProcessError) => void;
}

/** Parses a line; undefined if it is not a JSON object. */
export function toRecord(line: string): Record<string, unknown> | undefined {
  try {
    const record = JSON.parse(line) as unknown;
    return isRecord(record) ? record : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value is an object and not an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
