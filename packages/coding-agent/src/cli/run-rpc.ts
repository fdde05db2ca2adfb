import { UsageError } from "../errors.ts";
import { serveRpc } from "../modes/rpc/rpc-mode.ts";
import { openStdout, reportFailure } from "../modes/stdout.ts";
import type { StreamMode } from "../protocol/data.ts";
import type { Arguments } from "./args.ts";
import { careForMemory } from "./memory/care-for-memory.ts";
import { openSession } from "./open-session.ts";

/** Runs `pi --mode rpc`. The exit code is 1 if a write to stdout failed. */
export async function runRpc(args: Arguments): Promise<number> {
  const [argument] = args.prompts;
  if (argument !== undefined) {
    const what = argument.startsWith("@") ? "@file arguments" : "prompt arguments";
    throw new UsageError("invalid_arguments", `RPC mode takes no ${what}, but got "${argument}". Send a prompt command on stdin.`);
  }
  // First, because extensions may print while they are loaded.
  const output = await openStdout();
  const session = await openSession(args, { awaitsHostModels: true });
  careForMemory();
  await serveRpc(session, {
    input: process.stdin,
    output,
    streamMode: (args.options.stream ?? "snapshots") as StreamMode,
    ready: args.options["no-ready"] !== true,
    warmUp: true,
  });
  return reportFailure(output) ? 1 : 0;
}
