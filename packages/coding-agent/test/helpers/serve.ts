import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { gzipSync } from "node:zlib";
import { onTestFinished } from "vitest";
import { type RunningServer, startServer } from "../../src/modes/serve/serve-mode.ts";
import {
  defaultLimits,
  defaultTimes,
  type HttpTimes,
  type ServeLimits,
  type ServeOptions,
} from "../../src/modes/serve/serve-options.ts";
import { type CliOptions, spawnCli } from "./cli.ts";
import type { Served } from "./http-client.ts";
import type { Workspace } from "./workspace.ts";

export type TestServer = Served & RunningServer & { problems: string[] };

type Overrides = Partial<Omit<ServeOptions, "limits" | "times">> & { limits?: Partial<ServeLimits>; times?: Partial<HttpTimes> };

/** Files in the place of the page, which only the build makes. */
async function writePage(workspace: Workspace): Promise<string> {
  await Promise.all(["index.html", "page.css"].map((name) => workspace.write(`page/${name}`, `The content of ${name}`)));
  await writeFile(`${workspace.root}/page/page.js.gz`, gzipSync("The content of page.js"));
  return `${workspace.root}/page`;
}

/** Starts a server in this process; closed at the end of the test. */
export async function startTestServer(workspace: Workspace, { limits, times, ...others }: Overrides = {}): Promise<TestServer> {
  const token = "t".repeat(43);
  const problems: string[] = [];
  const server = await startServer({
    ...{ host: "127.0.0.1", port: 0, roots: [workspace.cwd], token, allowedHosts: [], sessionDir: undefined },
    agentDir: workspace.agentDir,
    pageFolder: await writePage(workspace),
    report: (problem) => void problems.push(problem),
    ...others,
    limits: { ...defaultLimits, graceSeconds: 0, ...limits },
    times: { ...defaultTimes, ...times },
  });
  onTestFinished(() => server.close());
  return { ...server, token: others.token ?? token, problems };
}

/** `pi serve` as a process. */
export interface ServeProcess extends Served {
  child: ChildProcessWithoutNullStreams;
  tokenFile: string;
  /** Resolves with the exit code; null when a signal ended it. */
  exited: Promise<number | null>;
  stderr(): string;
}

/** Starts `pi serve --json` on a free port, and resolves when it listens. It is killed when the test is over, if it still runs. */
export async function startServe(
  workspace: Workspace,
  args: readonly string[] = [],
  options: CliOptions = {},
): Promise<ServeProcess> {
  const child = spawnCli(workspace, ["serve", "--port", "0", "--json", ...args], options);
  onTestFinished(() => void child.kill("SIGKILL"));
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const exited = new Promise<number | null>((resolve) => child.on("close", resolve));
  const first = new Promise<string>((resolve) => createInterface(child.stdout).once("line", resolve));
  const line = await Promise.race([first, exited.then((code) => Promise.reject(new Error(`exit ${code}: ${stderr}`)))]);
  const { url, tokenFile } = JSON.parse(line) as { url: string; tokenFile: string };
  const token = (await readFile(tokenFile, "utf8")).trim();
  return { child, url, token, tokenFile, exited, stderr: () => stderr };
}
