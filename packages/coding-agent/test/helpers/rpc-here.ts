import { PassThrough } from "node:stream";
import { expect, onTestFinished } from "vitest";
import { runRpcMode } from "../../src/serve.ts";
import { createAgentSession } from "../../src/session/assemble/create.ts";
import type { CreateAgentSessionOptions } from "../../src/session/options.ts";
import { RpcConnection } from "./rpc-process.ts";
import type { Workspace } from "./workspace.ts";

/**
 * Serves a new session of the workspace in this process, for tests of what a session and the protocol do: a process for each of them would
 * cost ten times as much. What the command does with its arguments, its streams and its end is tested with `startRpc`.
 */
export async function serveHere(workspace: Workspace, options: CreateAgentSessionOptions): Promise<RpcConnection> {
  const session = await createAgentSession({
    cwd: workspace.cwd,
    agentDir: workspace.agentDir,
    ...options,
    // The mode starts it when it has connected its user.
    autoStart: false,
  });
  const [input, output] = [new PassThrough(), new PassThrough()];
  const rpc = new RpcConnection(
    input,
    output,
    runRpcMode(session, { input, output }).then(() => 0),
  );
  onTestFinished(async () => {
    await rpc.end();
    expect(rpc.violations).toEqual([]);
  });
  return rpc;
}
