import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readFileSync, statSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";
import { useTerminals } from "../helpers/pty.ts";
import { useWorkspace } from "../helpers/workspace.ts";
import { built, cleanEnvironment, makeFolder, temporaryFolder } from "./helpers.ts";

/**
 * Tells at the end what the process had loaded: our files, and the modules of Node. What comes from the warm-up on does not count, since
 * that follows the first answer.
 */
const watcher = `
  const { registerHooks } = process.getBuiltinModule("node:module");
  const files = [];
  let loaded;
  const look = () => (loaded ??= JSON.stringify({ files, builtIn: process.moduleLoadList }));
  registerHooks({
    load(url, context, next) {
      if (/\\/command\\/(?:warm-up|handlers)-/.test(url)) look();
      if (url.startsWith("file:")) files.push(url);
      return next(url, context);
    },
  });
  process.on("SIGUSR2", () => {
    process.getBuiltinModule("node:fs").writeFileSync(process.env.REPORT, look());
    process.exit(0);
  });`;

interface Loaded {
  files: string[];
  builtIn: string[];
}

interface Start {
  env?: NodeJS.ProcessEnv;
  /** The arguments of `pi`. */
  args: readonly string[];
  input: string;
  /** A part of the first answer. */
  answer: string;
}

/** What `pi` has loaded at its first answer, beside what a bare Node loads. */
async function loadedAtFirstAnswer({
  env = {},
  args: piArguments,
  input: line,
  answer,
}: Start): Promise<{ kilobytes: number; files: string[]; builtIn: string[] }> {
  const folder = await temporaryFolder({
    "watcher.cjs": watcher,
    "bare.cjs": 'process.kill(process.pid, "SIGUSR2"); setTimeout(() => {}, 1e6);',
  });
  const start = async (args: readonly string[], input: string | undefined): Promise<Loaded> => {
    const report = join(folder, "report.json");
    const child = spawn(process.execPath, ["--require", join(folder, "watcher.cjs"), ...args], {
      cwd: folder,
      env: { ...cleanEnvironment(folder), ...env, REPORT: report },
      stdio: ["pipe", "pipe", "inherit"],
    });
    onTestFinished(() => void child.kill("SIGKILL"));
    if (input !== undefined) {
      child.stdin.write(input);
      for await (const chunk of child.stdout) if (String(chunk).includes(answer)) break;
      child.kill("SIGUSR2");
    }
    await once(child, "close");
    return JSON.parse(readFileSync(report, "utf8")) as Loaded;
  };
  const bare = await start([join(folder, "bare.cjs")], undefined);
  const pi = await start([built("coding-agent", "cli.js"), ...piArguments], line);
  return compare(bare, pi);
}

/** What `pi` has loaded beside what a bare Node loads. */
function compare(bare: Loaded, pi: Loaded): { kilobytes: number; files: string[]; builtIn: string[] } {
  const paths = pi.files.map((url) => new URL(url).pathname);
  return {
    kilobytes: Math.round(paths.reduce((sum, path) => sum + statSync(path).size, 0) / 1000),
    files: paths.map((path) => path.slice(dirname(built("coding-agent", "cli.js")).length + 1).replace(/-[A-Z0-9]{8}\./, ".")),
    builtIn: pi.builtIn
      .filter((name) => !bare.builtIn.includes(name) && !name.includes("internal"))
      .map((name) => name.replace("NativeModule ", ""))
      .sort(),
  };
}

/** A folder with both configuration files. */
const agentDir = await makeFolder({
  "models.json": JSON.stringify({
    providers: {
      local: { baseUrl: "http://127.0.0.1:9", api: "anthropic-messages", apiKey: "not-a-key", models: [{ id: "one" }] },
    },
  }),
  "settings.json": JSON.stringify({ defaultProvider: "local", defaultModel: "one", retry: { maxRetries: 1 } }),
});
afterAll(() => rm(agentDir, { recursive: true }));

test.each([
  ["no model", {}, [], 2, 200],
  ["a model selected", { ANTHROPIC_API_KEY: "not-a-key" }, [], 3, 202],
  // They are checked without TypeBox.
  ["a model of models.json", { PI_CODING_AGENT_DIR: agentDir }, [], 3, 236],
  // The definitions of all further tools share a file; the code of a call is loaded with the first call.
  ["all tools", {}, ["--tools", "read,bash,edit,write,grep,find,ls,todo,preview,delegate"], 8, 210],
])(
  "the first answer with %s needs few files, few bytes and few modules of Node",
  async (_title, env, options, maxFiles, maxKilobytes) => {
    const { files, kilobytes, builtIn } = await loadedAtFirstAnswer({
      env,
      args: ["--mode", "rpc", "--no-session", ...options],
      input: '{"type":"get_state"}\n',
      answer: "get_state",
    });
    expect(files.filter((file) => file.startsWith("vendor/"))).toEqual([]);
    expect(files.length, files.join(", ")).toBeLessThanOrEqual(maxFiles);
    expect(kilobytes).toBeLessThan(maxKilobytes);
    expect(builtIn.length, builtIn.join(", ")).toBeLessThanOrEqual(12);
    // Arguments as hosts give them need no parser.
    expect(builtIn).not.toContain("util");
    // Each of these takes as long as all of our code, or nearly.
    for (const name of ["http", "https", "crypto", "child_process", "worker_threads", "tls", "dns", "perf_hooks"])
      expect(builtIn).not.toContain(name);
  },
);

test("pi serve needs few files more until it listens, and nothing of sessions, sockets and encryption", async () => {
  const folder = await temporaryFolder({ token: "t".repeat(43) });
  const tokenFile = join(folder, "token");
  chmodSync(tokenFile, 0o600);
  const { files, kilobytes, builtIn } = await loadedAtFirstAnswer({
    args: ["serve", "--port", "0", "--json", "--token-file", tokenFile],
    input: "",
    answer: "listening",
  });
  expect(files.filter((file) => file.startsWith("vendor/"))).toEqual([]);
  expect(files.length, files.join(", ")).toBeLessThanOrEqual(5);
  expect(kilobytes).toBeLessThan(330);
  expect(builtIn).toContain("http");
  for (const name of ["https", "crypto", "worker_threads", "tls", "fs/promises"]) expect(builtIn).not.toContain(name);
});

describe("pi on a terminal", () => {
  const workspace = useWorkspace();
  const startOn = useTerminals(workspace);

  test("loads few files, and nothing of processes and encryption, until the prompt can be sent", async () => {
    const report = join(workspace.root, "report.json");
    const program = join(workspace.root, "watcher.cjs");
    await writeFile(program, watcher);
    const command = [process.execPath, "--require", program, built("coding-agent", "cli.js")];
    const pi = startOn([], { command, env: { PI_CODING_AGENT_DIR: agentDir, REPORT: report } });
    await pi.until("· one ·");
    pi.kill("SIGUSR2");
    await pi.exited;
    const { files, builtIn } = compare({ files: [], builtIn: [] }, JSON.parse(readFileSync(report, "utf8")) as Loaded);
    expect(files.length, files.join(", ")).toBeLessThanOrEqual(16);
    // The library of the terminal: its parts, what it shares, and what the bundler adds. The parser of Markdown comes with the first run.
    expect(files.filter((file) => file.startsWith("vendor/")).length, files.join(", ")).toBeLessThanOrEqual(3);
    for (const name of ["http", "https", "crypto", "child_process", "worker_threads", "tls", "dns"])
      expect(builtIn).not.toContain(name);
  });
});
