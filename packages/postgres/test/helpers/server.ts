import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
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

/** How a server is started. */
interface Place {
  folder: string;
  /** The folder of the programs. */
  programs: string;
  settings: Readonly<Record<string, string>>;
  /** A program that runs the server's, with its arguments: it prepares something for the server. */
  wrapper?: readonly string[];
}

/**
 * Creates and starts a server.
 *
 * @param settings - Settings of `postgresql.conf`. Default: `fsync` is off, because no test cuts the power of this machine.
 * @param wrapper - See `Place`.
 */
export async function startServer(
  settings: Readonly<Record<string, string>> = {},
  wrapper?: (folder: string) => readonly string[],
): Promise<TestServer> {
  const folder = newFolder(settings.fsync === "on" ? "disk" : "memory");
  const data = join(folder, "data");
  const programs = programsFor(folder);
  const emptyData = process.env[emptyDataVariable];
  if (emptyData === undefined) initializeData(programs, data);
  else copyData(emptyData, data);
  giveToServer(folder);
  const place = { folder, programs, settings };
  const server = serverIn(wrapper ? { ...place, wrapper: wrapper(folder) } : place);
  await server.start();
  return server;
}

/**
 * Starts a standby of a server, which it stops and starts for this: a copy that receives all changes, and can only be read until it is promoted
 * with `select pg_promote()`.
 */
export async function startStandby(primary: TestServer): Promise<TestServer> {
  const folder = newFolder("memory");
  const data = join(folder, "data");
  await primary.stop();
  copyData(join(primary.folder, "data"), data);
  await primary.start();
  writeFileSync(join(data, "standby.signal"), "");
  giveToServer(folder);
  const settings = { primary_conninfo: `user=pikit host=${primary.folder}` };
  const server = serverIn({ folder, programs: programsFor(folder), settings });
  await server.start();
  return server;
}

/**
 * Creates the data of an empty server once for the servers of a test run, which copy it: that takes an eighth of the time that `initdb` does.
 * Processes that are started afterwards find it through their environment.
 *
 * @returns What removes it.
 */
export function prepareEmptyData(): () => void {
  const folder = newFolder("memory");
  const data = join(folder, "data");
  initializeData(programsFor(folder), data);
  process.env[emptyDataVariable] = data;
  return () => rmSync(folder, { recursive: true, force: true });
}

const emptyDataVariable = "PIKIT_TEST_POSTGRES_DATA";

function initializeData(programs: string, data: string): void {
  mkdirSync(data, { mode: 0o700 });
  giveToServer(data);
  const options = ["-D", data, "-U", "pikit", "--auth=trust", "--no-sync", "-E", "UTF8", "--locale=C"];
  const created = spawnSync(join(programs, "initdb"), options, { ...serverUser, cwd: programs, encoding: "utf8" });
  if (created.status !== 0) throw new Error(`initdb failed: ${created.error?.message ?? created.stderr}`);
}

function copyData(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  // A copy gets the usual permissions, which are too wide for a server.
  chmodSync(to, 0o700);
}

/**
 * Creates the folder of a server. Each new database is 300 files: in memory, where there is room for it, their creation takes a fifth of the CPU
 * time.
 */
function newFolder(place: "disk" | "memory"): string {
  const folder = mkdtempSync(join(place === "memory" && hasRoomInMemory() ? sharedMemory : tmpdir(), "pikit-pg-"));
  giveToServer(folder);
  return folder;
}

const sharedMemory = "/dev/shm";

/** Whether there is a file system in memory with 2 GB of space, from which programs can be run. */
function hasRoomInMemory(): boolean {
  if (!existsSync(sharedMemory) || !existsSync("/proc/mounts")) return false;
  const mounts = readFileSync("/proc/mounts", "utf8").split("\n");
  const [, , kind, options = ""] = mounts.map((line) => line.split(" ")).findLast(([, path]) => path === sharedMemory) ?? [];
  if (kind !== "tmpfs" || options.split(",").includes("noexec")) return false;
  const { bavail, bsize } = statfsSync(sharedMemory);
  return bavail * bsize > 2e9;
}

/** The server of a folder that has its data, not started. */
function serverIn({ folder, programs, settings, wrapper = [] }: Place): TestServer {
  const all = {
    listen_addresses: "",
    unix_socket_directories: folder,
    max_connections: "200",
    fsync: "off",
    ...settings,
  };
  const args = ["-D", join(folder, "data"), ...Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`])];
  let running: ChildProcess | undefined;

  const start = async () => {
    const [program = "", ...rest] = [...wrapper, join(programs, "postgres"), ...args];
    // A wrapper runs the server as its user.
    const user = wrapper.length > 0 ? {} : serverUser;
    const child = spawn(program, rest, { ...user, cwd: folder, stdio: ["ignore", "ignore", "pipe"] });
    running = child;
    let log = "";
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      log = (log + text).slice(-10_000);
      if (/database system is ready to accept (?:read-only )?connections/.test(log)) resolve();
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
  return server;
}
