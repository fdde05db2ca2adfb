// Behind `npm start`, `npm test` and the other jobs that CONTRIBUTING lists: installs and builds what is out of date, then does the job.
// It is the first thing that runs on a fresh machine: Node 20, built-in modules only, nothing installed.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { removeStrangers } from "./dist-files.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const bin = join(root, "node_modules", ".bin");
const environment = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}`, TURBO_TELEMETRY_DISABLED: "1" };
// Set-up talks on stderr only: stdout belongs to the job.
const onStderr = ["ignore", 2, 2];

const jobs = {
  async start(args) {
    await install({ runtimes: false });
    await build("--filter=@pikit/coding-agent");
    // The tour reads no input; without this an open pipe on stdin would keep it waiting.
    const stdin = args.length > 0 ? "inherit" : "ignore";
    return run(
      node(),
      [join(root, "packages/coding-agent/dist/cli.js"), ...(args.length > 0 ? args : ["Give me a tour of this folder."])],
      {
        cwd: process.env.INIT_CWD ?? root,
        env: { ...process.env, PI_FALLBACK_MODEL: "demo/tour" },
        stdio: [stdin, "inherit", "inherit"],
      },
    );
  },
  test: (args) => test(args, environment),
  "test:long": (args) => test(args, { ...environment, PIKIT_LONG: "1" }),
  "test:terminal": (args) => test(["modes/terminal", ...args], { ...environment, PIKIT_LONG: "1" }),
  "test:browser": (args) => test(["page/browser", ...args], { ...environment, PIKIT_LONG: "1" }),
  async "test:clients"(args) {
    // Bun is in tools/.
    await install({ runtimes: true });
    await build("--filter=@pikit/coding-agent");
    await installAlone("tools/clients", "the clients of others (about 1 GB");
    return run(node(), [join(root, "tools/clients/run.ts"), ...args], { stdio: "inherit" });
  },
  async "test:release"(args) {
    // Other versions of Node, and Bun, are in tools/.
    await install({ runtimes: true });
    await installAlone("tools/release", "a registry and package managers (about 90 MB");
    return run(node(), [join(root, "tools/release/run.ts"), ...args], { stdio: "inherit" });
  },
  async bench(args) {
    await install({ runtimes: true });
    await build();
    return run(node(), [join(root, "benchmarks/run.ts"), ...args], { stdio: "inherit" });
  },
  async site(args) {
    await install({ runtimes: false });
    await installAlone("tools/site", "what makes the site (about 150 MB");
    return run(node(), [join(root, "tools/site/build.ts"), ...args], { stdio: "inherit" });
  },
  async advisories(args) {
    await install({ runtimes: false });
    if (args.length === 0) await build();
    return run(node(), [join(root, "scripts/advisories.ts"), ...args], { cwd: process.env.INIT_CWD ?? root, stdio: "inherit" });
  },
  async "demo:fleet"(args) {
    // The server of the database is in tools/.
    await install({ runtimes: true });
    await build("--filter=@pikit/postgres");
    return run(node(), [join(root, "packages/postgres/demo/run.ts"), ...args], { stdio: "inherit" });
  },
  async mutate(args) {
    await install({ runtimes: true });
    return run(node(), [join(root, "scripts/mutate.ts"), ...args], { stdio: "inherit" });
  },
};

async function test(args, env) {
  await install({ runtimes: true });
  const checks = ["run", "lint", "types", "unused", "build", "--continue", "--output-logs=errors-only"];
  if ((await run("turbo", checks, { stdio: onStderr })) !== 0) {
    console.log("Lint, types or build failed, see above; no test was run.\n0 passed, 1 failed");
    return 1;
  }
  removeOldFiles();
  // The command was just built: tests start that, which takes a fifth of the time that its source does.
  return run("vitest", ["run", ...args], { env: { ...env, PIKIT_TEST_BUILT: "1" }, stdio: "inherit" });
}

/** Installs from the lockfile unless that was done for the same files before. Only tests need what is in tools/. */
async function install({ runtimes }) {
  const stampFile = join(root, "node_modules/.cache/bootstrap");
  const state = stateOfManifests();
  const stamp = existsSync(stampFile) ? readFileSync(stampFile, "utf8") : "";
  if (stamp === `${state} all` || (stamp === `${state} start` && !runtimes)) return;

  const version = JSON.parse(readFileSync(join(root, "package.json"), "utf8")).packageManager;
  console.error(`Installing dependencies with ${version} (only when they changed) …`);
  const installed = join(root, "node_modules/pnpm/package.json");
  const isLocal = existsSync(installed) && `pnpm@${JSON.parse(readFileSync(installed, "utf8")).version}` === version;
  const command = isLocal ? ["pnpm"] : ["npx", "--yes", version];
  const filter = runtimes ? [] : ["--filter=!./tools/*"];
  await must(`${command.join(" ")} install`, [...command, "install", "--frozen-lockfile", "--reporter=append-only", ...filter]);
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, `${state} ${runtimes ? "all" : "start"}`);
}

/** Installs a folder that only one job needs, with a lockfile of its own. No script of a package is run. */
async function installAlone(path, what) {
  const folder = join(root, path);
  const stampFile = join(folder, "node_modules/.installed");
  const hash = createHash("sha256");
  for (const file of ["package.json", "pnpm-lock.yaml", "pnpm-workspace.yaml"]) hash.update(readFileSync(join(folder, file)));
  const state = hash.digest("hex");
  if (existsSync(stampFile) && readFileSync(stampFile, "utf8") === state) return;
  console.error(`Installing ${what}, only when they changed) …`);
  const options = ["--dir", folder, "--ignore-scripts", "--frozen-lockfile", "--reporter=append-only"];
  await must(`pnpm install in ${path}`, ["pnpm", "install", ...options]);
  writeFileSync(stampFile, state);
}

function stateOfManifests() {
  const folders = ["packages", "tools"].flatMap((parent) =>
    readdirSync(join(root, parent))
      .sort()
      .map((name) => join(parent, name)),
  );
  const files = ["pnpm-lock.yaml", "pnpm-workspace.yaml", ...[".", ...folders].map((folder) => join(folder, "package.json"))];
  const hash = createHash("sha256");
  for (const file of files) if (existsSync(join(root, file))) hash.update(file).update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

async function build(...filters) {
  const notice = setTimeout(() => console.error("Building …"), 500);
  await must("The build", ["turbo", "run", "build", "--output-logs=errors-only", ...filters], { collect: true });
  clearTimeout(notice);
  removeOldFiles();
}

function removeOldFiles() {
  for (const name of readdirSync(join(root, "packages"))) removeStrangers(join(root, "packages", name));
}

/** Runs a step of the set-up; when it fails, so do we. */
async function must(what, [command, ...args], { collect = false } = {}) {
  const output = [];
  const code = await run(command, args, { stdio: collect ? ["ignore", "pipe", "pipe"] : onStderr }, output);
  if (code === 0) return;
  process.stderr.write(Buffer.concat(output));
  console.error(`${what} failed with exit code ${code}, see above.`);
  process.exit(code);
}

/** Runs a program, passes signals on to it and resolves to its exit code (128 + n when signal n ended it). */
function run(command, args, options, output = []) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, env: environment, ...options });
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk) => output.push(chunk));
    const forward = (signal) => {
      // Ctrl-C reaches the whole foreground group by itself; a second SIGINT could mean "now".
      if (signal !== "SIGINT" || !process.stdin.isTTY) child.kill(signal);
    };
    const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
    for (const signal of signals) process.on(signal, forward);
    const end = (code) => {
      for (const signal of signals) process.off(signal, forward);
      resolve(code);
    };
    child.on("error", (error) => {
      console.error(`Cannot start ${command}: ${error.message}.`);
      end(127);
    });
    child.on("close", (code, signal) => end(code ?? 128 + constants.signals[signal]));
  });
}

/** Node 24 from its npm package; where the platform has none, the running Node if it is new enough. */
function node() {
  const packaged = join(bin, "node");
  if (existsSync(packaged)) return packaged;
  const [major, minor] = process.versions.node.split(".").map(Number);
  if (major > 22 || (major === 22 && minor >= 19)) return process.execPath;
  console.error(
    `No Node package for this platform, and the installed Node ${process.versions.node} is older than 22.19: install a newer one.`,
  );
  return process.exit(1);
}

const [name, ...args] = process.argv.slice(2);
const job = jobs[name];
if (!job) {
  console.error(`Unknown job "${name}": expected one of ${Object.keys(jobs).join(", ")}.`);
  process.exit(2);
}
process.exitCode = await job(args);
