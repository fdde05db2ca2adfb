import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { cliArguments } from "./cli.ts";

/** A running `pi serve` with a folder of its own. */
export interface Served {
  url: string;
  token: string;
  /** The file of the token. */
  tokenFile: string;
  /** The root of the server. */
  work: string;
  /** Writes a script and returns the name of the model that plays it. */
  script(answers: readonly object[]): string;
  /** The messages in the file of a session. */
  messages(sessionId: string): StoredMessage[];
  /** Kills the server without a warning and starts it again, at the same address. */
  restart(): Promise<void>;
}

export interface StoredMessage {
  role: string;
  content: string | { type: string; text?: string }[];
}

/** Starts the server with these settings of its user; it ends with the test. */
export async function serve(settings: object = {}): Promise<Served> {
  const root = mkdtempSync(join(tmpdir(), "rpc-client-serve-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  const work = join(root, "work");
  const agentDir = join(root, "agent");
  for (const folder of [work, agentDir]) mkdirSync(folder);
  writeFileSync(join(agentDir, "settings.json"), JSON.stringify(settings));
  let server = await start(work, agentDir, 0);
  onTestFinished(() => server.kill());
  const { url, tokenFile } = server;
  return {
    url,
    work,
    tokenFile,
    token: readFileSync(tokenFile, "utf8").trim(),
    script: (answers) => {
      const path = join(mkdtempSync(join(root, "script-")), "answers.jsonl");
      writeFileSync(path, answers.map((answer) => `${JSON.stringify(answer)}\n`).join(""));
      return `script/${path}`;
    },
    messages: (sessionId) => {
      const folder = join(agentDir, "sessions");
      const file = readdirSync(folder, { recursive: true, encoding: "utf8" }).find((name) => name.endsWith(`${sessionId}.jsonl`));
      const lines = readFileSync(join(folder, file ?? ""), "utf8")
        .trimEnd()
        .split("\n");
      return lines.map((line) => JSON.parse(line)).flatMap(({ type, message }) => (type === "message" ? [message] : []));
    },
    restart: async () => {
      await server.kill();
      server = await start(work, agentDir, Number(new URL(url).port));
    },
  };
}

async function start(work: string, agentDir: string, port: number) {
  const env = { PATH: process.env.PATH, HOME: agentDir, PI_CODING_AGENT_DIR: agentDir };
  const args = [...cliArguments, "serve", "--port", `${port}`, "--json"];
  const child = spawn(process.execPath, args, { cwd: work, env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit");
  const [line] = await Promise.race([
    once(child.stdout, "data"),
    ended.then(() => Promise.reject(new Error("pi serve has ended"))),
  ]);
  const kill = async () => {
    child.kill("SIGKILL");
    await ended;
  };
  return { ...(JSON.parse(String(line)) as { url: string; tokenFile: string }), kill };
}
