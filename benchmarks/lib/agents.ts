import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { getState, waitForState } from "./records.ts";
import { RpcProcess } from "./rpc-process.ts";
import { inTemporaryFolder, makeWorkplace } from "./workplace.ts";

/** A program that speaks `--mode rpc`. */
export interface Agent {
  name: string;
  /** The program and its arguments. */
  command: readonly string[];
  /** Not ours: it has no budgets, and it may fail. */
  isForeign: boolean;
}

/** What a benchmark is told of the agents. */
export interface AgentOptions {
  /** Is measured beside pi. */
  against?: Agent | undefined;
}

export const cli = join(import.meta.dirname, "../../packages/coding-agent/dist/cli.js");
const rpc = ["--mode", "rpc", "--no-session"];

/** The pi that was built, and the other agent if there is one. `args`: more arguments for pi. */
export function agents({ against }: AgentOptions, ...args: readonly string[]): Agent[] {
  const pi = { name: "pi", command: [process.execPath, cli, ...rpc, ...args], isForeign: false };
  return against ? [pi, against] : [pi];
}

/**
 * The agent of `--against`.
 *
 * @param commandLine - The shell tells its words apart.
 */
export function otherAgent(commandLine: string): Agent {
  const words = execFileSync("/bin/sh", ["-c", `printf '%s\\0' ${commandLine}`], { encoding: "utf8" });
  return { name: "against", command: [...words.split("\0").slice(0, -1), ...rpc], isForeign: true };
}

/** Why it cannot be measured at all, if so: it does not even answer `get_state`. */
export function whyDead({ command }: Agent): Promise<string | undefined> {
  return inTemporaryFolder(async (folder) => {
    const workplace = await makeWorkplace(folder, "probe", { url: "http://127.0.0.1:9", api: "openai-completions" });
    await using agent = new RpcProcess(command, workplace);
    agent.send(getState);
    try {
      await waitForState(agent);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  });
}
