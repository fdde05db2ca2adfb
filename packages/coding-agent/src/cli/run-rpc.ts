import { UsageError } from "../errors.ts";
import { runRpcMode } from "../modes/rpc/rpc-mode.ts";
import { RpcUserInterface } from "../modes/rpc/rpc-user-interface.ts";
import type { StreamMode } from "../protocol/data.ts";
import { protocolVersion } from "../protocol/version.ts";
import { packageVersion } from "../version.ts";
import type { Arguments } from "./args.ts";
import { openSession } from "./open-session.ts";

/** `pi --mode rpc`. */
export async function runRpc(args: Arguments): Promise<number> {
  const [argument] = args.prompts;
  if (argument !== undefined) {
    const what = argument.startsWith("@") ? "@file arguments" : "prompt arguments";
    throw new UsageError(`RPC mode takes no ${what}, but got "${argument}". Send a prompt command on stdin.`);
  }
  const user = new RpcUserInterface();
  const session = await openSession(args, { user });
  return runRpcMode(session, {
    user,
    streamMode: (args.options.stream ?? "snapshots") as StreamMode,
    readyLine: args.options["no-ready"] ? undefined : { type: "ready", protocolVersion, version: packageVersion() },
  });
}
