import type { RpcLine, RpcProcess } from "./rpc-process.ts";

/** Commands and records that every agent with `--mode rpc` knows. */
export const getState = { type: "get_state" } as const;

export function prompt(message: string): object {
  return { type: "prompt", message };
}

/**
 * Waits for a record.
 *
 * @throws {Error} When the program refuses a command or its model call fails, and for what `waitFor` throws for.
 */
async function waitFor(agent: RpcProcess, what: string, matches: (line: string) => boolean, timeoutMs?: number): Promise<RpcLine> {
  const found = await agent.waitFor(what, (line) => matches(line) || isFailure(line), timeoutMs);
  if (matches(found.line)) return found;
  throw new Error(`${what} expected, but it said ${found.line.slice(0, 200)}`);
}

export function waitForState(agent: RpcProcess): Promise<RpcLine> {
  return waitFor(agent, "get_state answer", isState);
}

export function waitForDelta(agent: RpcProcess): Promise<RpcLine> {
  return waitFor(agent, "text_delta", (line) => line.includes('"text_delta"'));
}

/** In newer agents `agent_settled` follows at once. */
export function waitForRunEnd(agent: RpcProcess, timeoutMs?: number): Promise<RpcLine> {
  return waitFor(agent, "agent_end", (line) => line.includes('"type":"agent_end"'), timeoutMs);
}

function isState(line: string): boolean {
  return line.includes('"get_state"') && line.includes('"success":true');
}

function isFailure(line: string): boolean {
  return (line.includes('"success":false') && !line.includes("set_stream_mode")) || line.includes('"stopReason":"error"');
}

/** Asks for deltas. An agent that does not know the command refuses it, and gives what it has. */
export async function askForDeltas(agent: RpcProcess): Promise<void> {
  agent.send({ type: "set_stream_mode", mode: "deltas" }, getState);
  await agent.waitFor("get_state answer", isState);
}
