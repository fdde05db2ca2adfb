import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { giveToServer, programsFor, serverUser } from "./server-programs.ts";

/** A PostgreSQL server of its own for tests, on a socket file in a folder of its own. */
export interface TestServer {
  /** The folder of the socket and of the data. */
  readonly folder: string;
  /** The address of a database. Default: `postgres`, which always exists. */
  url(database?: string): string;
  /** Stops the server as its administrator does: open connections are closed. */
  stop(): Promise<void>;
  /** Ends the server and all of its processes at once, as a power failure does. */
  kill(): Promise<void>;
  /** Starts it again after `stop` or `kill`. */
  start(): Promise<void>;
  /** Stops the server, and removes its folder. */
  remove(): Promise<void>;
}

/**
 * Creates and starts a server.
 *
 * @param settings - Settings of `postgresql.conf`. Default: `fsync` is off, because no test cuts the power of this machine.
 */
export async function startServer(settings: Readonly<Record<string, string>> = {}): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), "pikit-pg-"));
  const data = join(folder, "data");
  mkdirSync(data, { mode: 0o700 });
  giveToServer(folder);
  const programs = programsFor(folder);
  const options = ["-D", data, "-U", "pikit", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C"];
  const created = spawnSync(join(programs, "initdb"), options, { ...serverUser, cwd: folder, encoding: "utf8" });
  if (created.status !== 0) throw new Error(`initdb failed: ${created.error?.message ?? created.stderr}`);
  const all = {
    listen_addresses: "",
    unix_socket_directories: folder,
    max_connections: "200",
    fsync: "off",
    ...settings,
  };
  const args = ["-D", data, ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
  let running: ChildProcess | undefined;

  const start = async () => {
    const child = spawn(join(programs, "postgres"), args, { ...serverUser, cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    running = child;
    let log = "";
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-10_000);
      if (log.includes("database system is ready to accept connections")) resolve();
    });
    child.once("exit", (code, signal) => reject(new Error(`postgres ended (${code ?? signal}):\n${log}`)));
    await promise;
  };
  const end = async (act: (child: ChildProcess) => void) => {
    const child = running;
    running = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, "exit");
    act(child);
    await exited;
  };
  const server: TestServer = {
    folder,
    url: (database = "postgres") => `postgres://pikit@localhost/${database}?host=${encodeURIComponent(folder)}`,
    start,
    // SIGINT: "fast shutdown".
    stop: () => end((child) => void child.kill("SIGINT")),
    // SIGQUIT: "immediate shutdown", without a checkpoint. The server recovers when it starts again.
    kill: () => end((child) => void child.kill("SIGQUIT")),
    async remove() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  await start();
  return server;
}

/** The process id of a running server, which its processes have as their parent. */
export function processOf(server: TestServer): number {
  return Number(readFileSync(join(server.folder, "data/postmaster.pid"), "utf8").split("\n", 1)[0]);
}
