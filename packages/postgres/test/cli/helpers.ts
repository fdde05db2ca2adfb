import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach } from "vitest";
import { type CliOptions, type CliResult, runCli } from "../../../coding-agent/test/helpers/cli.ts";
import { useWorkspace, type Workspace } from "../../../coding-agent/test/helpers/workspace.ts";
import { createDatabase } from "../helpers/database.ts";

const thisPackage = fileURLToPath(new URL("../..", import.meta.url));

/** A machine on which this package is installed in the agent folder, and a database. */
export class Machine {
  readonly workspace: Workspace;
  /** The address of an empty database. */
  address = "";

  constructor(workspace: Workspace) {
    this.workspace = workspace;
  }

  /** Runs `pi` to its end, with the address of the database in the environment. */
  pi(args: readonly string[], { env = {}, ...options }: CliOptions = {}): Promise<CliResult> {
    return runCli(this.workspace, args, { env: { PI_SESSION_STORE: this.address, ...env }, ...options });
  }

  /** Runs `pi` and expects that it succeeds and writes nothing to stderr. Returns its stdout. */
  async succeed(...args: string[]): Promise<string> {
    const { stdout, stderr, exitCode } = await this.pi(args);
    if (exitCode !== 0 || stderr !== "") throw new Error(`pi ${args.join(" ")} ended with ${exitCode}: ${stderr}`);
    return stdout;
  }

  /** Asks a model that gives this answer, and stores the conversation. */
  async ask(prompt: string, answer: string, ...options: string[]): Promise<void> {
    const model = await this.workspace.script({ text: answer });
    const stdout = await this.succeed("-p", "--model", model, ...options, prompt);
    if (stdout.trim() !== answer) throw new Error(`pi answered ${stdout}`);
  }

  /** The stored sessions as `pi sessions --json` lists them. */
  async sessions(...options: string[]): Promise<ListedSession[]> {
    const stdout = await this.succeed("sessions", "--json", ...options);
    return stdout
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as ListedSession);
  }
}

export interface ListedSession {
  id: string;
  cwd: string;
  path?: string;
  name?: string;
  firstPrompt?: string;
  parentSession?: string;
  interrupted: boolean;
}

/** A new machine for each test of the file. */
export function useMachine(): Machine {
  const machine = new Machine(useWorkspace());
  beforeEach(async () => {
    const folder = join(machine.workspace.agentDir, "node_modules/@pikit");
    await mkdir(folder, { recursive: true });
    await symlink(thisPackage, join(folder, "postgres"));
    machine.address = await createDatabase();
  });
  return machine;
}
