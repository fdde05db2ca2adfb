import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const recorder = fileURLToPath(new URL("./record-calls.cjs", import.meta.url));
const configuration = {
  "models.json": {
    providers: { a: { baseUrl: "http://127.0.0.1:9", api: "anthropic-messages", apiKey: "not-a-key", models: [{ id: "b" }] } },
  },
  "settings.json": { defaultProvider: "a", defaultModel: "b" },
};

/** How hosts start `pi --mode rpc`: options, variables of the environment, and files of the agent folder. */
const starts = [
  { options: ["--no-session"], variables: {}, files: {} },
  { options: ["--no-session"], variables: { ANTHROPIC_API_KEY: "not-a-key" }, files: {} },
  { options: ["--no-session"], variables: {}, files: configuration },
  { options: [], variables: {}, files: configuration },
];

/**
 * Starts a built command in several ways, asks each for its state, and collects the functions that it calls until it has answered. Each start
 * has an empty home, so that the result depends on the code only.
 *
 * @param cli - path of the built `cli.js`.
 * @returns path of a file → the offsets at which its called functions begin.
 * @throws {Error} if a start ends without an answer.
 */
export async function calledAtStart(cli) {
  const called = new Map();
  const records = await Promise.all(starts.map((start) => recordStart(resolve(cli), start)));
  for (const { url, offsets } of records.flat()) {
    const path = fileURLToPath(url);
    called.set(path, new Set([...(called.get(path) ?? []), ...offsets]));
  }
  return called;
}

async function recordStart(cli, { options, variables, files }) {
  const folder = mkdtempSync(join(tmpdir(), "pikit-start-"));
  try {
    const [home, agentDir, work] = ["home", "agent", "work"].map((name) => join(folder, name));
    for (const path of [home, agentDir, work]) mkdirSync(path);
    for (const [name, content] of Object.entries(files)) writeFileSync(join(agentDir, name), JSON.stringify(content));
    const report = join(folder, "report.json");
    const places = { HOME: home, TMPDIR: folder, PI_CODING_AGENT_DIR: agentDir, PIKIT_CALLS: report };
    const args = ["--require", recorder, cli, "--mode", "rpc", ...options];
    const pi = spawn(process.execPath, args, {
      cwd: work,
      env: { PATH: process.env.PATH, ...places, ...variables },
      stdio: ["pipe", "ignore", "inherit"],
    });
    // The exit code says why nothing reads it any more.
    pi.stdin.on("error", () => undefined);
    // It stays open: its end would end the process in the middle of the start.
    pi.stdin.write('{"type":"get_state"}\n');
    const [code] = await once(pi, "exit");
    if (code !== 0) throw new Error(`pi ${args.slice(3).join(" ")} ended with code ${code} before its first answer`);
    return JSON.parse(readFileSync(report, "utf8"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
