import { execFile, spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { cleanEnvironment, cliArguments } from "../../helpers/cli.ts";
import { useWorkspace } from "../../helpers/workspace.ts";

const workspace = useWorkspace();
const works = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;
const hasPython = works("python3", "--version");
const noNetwork = ["unshare", "--map-root-user", "--net"];
const canUnshare = works("unshare", "--map-root-user", "--net", "true");

/** Runs the program of docs/rpc.md with the command that starts pi. */
async function runHost(prefix: readonly string[]): Promise<{ stdout: string; stderr: string }> {
  const page = await readFile(new URL("../../../../../docs/rpc.md", import.meta.url), "utf8");
  const [, program = ""] = /^```python\n(.*?)^```$/ms.exec(page) ?? [];
  const path = await workspace.write("host.py", program);
  const args = [path, ...prefix, process.execPath, ...cliArguments];
  return promisify(execFile)("python3", args, { cwd: workspace.cwd, env: cleanEnvironment(workspace) });
}

test.skipIf(!hasPython || !canUnshare)(
  "the host of docs/rpc.md holds the model of a process without any network, in a turn with a tool",
  async () => {
    expect(await runHost(noNetwork)).toEqual({ stdout: "It is 42.", stderr: "" });
  },
);

test.skipIf(!hasPython || canUnshare)("the same, with a network, where unshare is not allowed", async () => {
  expect(await runHost([])).toEqual({ stdout: "It is 42.", stderr: "" });
});
