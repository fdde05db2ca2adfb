import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { Agent, type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { cli } from "./lib/agents.ts";
import { residentBytes } from "./lib/process-usage.ts";
import { type Result, summarize } from "./lib/statistics.ts";
import { takeTurns, valuesOf } from "./lib/turns.ts";
import { inTemporaryFolder, makeWorkplace, type Workplace } from "./lib/workplace.ts";

/** `pi serve`: spawn to listening, memory then, and the first frame of a new connection to a running server. */
export function serve(rounds: number): Promise<Result[]> {
  return inTemporaryFolder(async (root) => [...(await measureStart(root, rounds)), ...(await measureFirstFrame(root, rounds))]);
}

interface Start {
  milliseconds: number;
  bytes: number;
}

async function measureStart(root: string, rounds: number): Promise<Result[]> {
  const bareWorkplace = await makeWorkplace(root, "bare");
  const workplace = await makeWorkplace(root, "start");
  const series = await takeTurns(
    rounds,
    new Map([
      ["bare", { run: () => startBare(bareWorkplace) }],
      ["serve", { run: () => startOnce(workplace) }],
    ]),
  );
  const pick = (name: string, of: (start: Start) => number) => valuesOf(series, name).map(of);
  const time = ({ milliseconds }: Start) => milliseconds;
  const bare = summarize("bare node -e 0, spawn to exit", "ms", pick("bare", time));
  return [
    bare,
    summarize("pi serve, spawn to listening", "ms", pick("serve", time), bare, 2.2),
    summarize(
      "resident then",
      "MB",
      pick("serve", ({ bytes }) => bytes / 1e6),
    ),
  ];
}

async function startBare(workplace: Workplace): Promise<Start> {
  const start = performance.now();
  await once(spawn(process.execPath, ["-e", "0"], { ...workplace, stdio: "ignore" }), "exit");
  return { milliseconds: performance.now() - start, bytes: 0 };
}

async function startOnce(workplace: Workplace): Promise<Start> {
  const start = performance.now();
  const { child } = await startServe(workplace);
  const milliseconds = performance.now() - start;
  const bytes = residentBytes(child.pid ?? 0);
  await end(child);
  return { milliseconds, bytes };
}

/** From the request to the first frame, against the first byte of a bare server that sends an event at once. Each connection is new. */
async function measureFirstFrame(root: string, rounds: number): Promise<Result[]> {
  const workplace = await makeWorkplace(root, "frame");
  const { child, url, token } = await startServe(workplace);
  const bareServer = spawn(process.execPath, [join(import.meta.dirname, "programs/bare-events.ts")], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [bareUrl] = await once(bareServer.stdout, "data");
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const begun = await fetch(`${url}/v1/sessions`, { method: "POST", headers, body: '{"session":"memory"}' });
    const { sessionId } = (await begun.json()) as { sessionId: string };
    const events = `${url}/v1/sessions/${sessionId}/events`;
    const series = await takeTurns(
      rounds * 10,
      new Map([
        ["bare", { run: () => firstFrame(String(bareUrl).trim(), headers) }],
        ["serve", { run: () => firstFrame(events, headers) }],
      ]),
      50,
    );
    const bare = summarize("bare node:http, request to first event", "ms", valuesOf(series, "bare"));
    return [
      bare,
      summarize("pi serve, request to first frame", "ms", valuesOf(series, "serve"), undefined, { atMost: bare.median + 5 }),
    ];
  } finally {
    bareServer.kill();
    await end(child);
  }
}

function firstFrame(url: string, headers: Record<string, string>): Promise<number> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers, agent: new Agent() }, (incoming: IncomingMessage) => {
      let text = "";
      incoming.setEncoding("utf8").on("data", (piece: string) => {
        text += piece;
        if (!text.includes("data: ")) return;
        resolve(performance.now() - start);
        outgoing.destroy();
      });
      incoming.on("error", () => undefined);
    });
    outgoing.on("error", reject);
    outgoing.end();
  });
}

/** Resolves when the server listens. */
async function startServe(workplace: Workplace): Promise<{ child: ChildProcess; url: string; token: string }> {
  const child = spawn(process.execPath, [cli, "serve", "--port", "0", "--json"], {
    ...workplace,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = await once(child.stdout, "data");
  const { url, tokenFile } = JSON.parse(String(line)) as { url: string; tokenFile: string };
  return { child, url, token: (await readFile(tokenFile, "utf8")).trim() };
}

async function end(child: ChildProcess): Promise<void> {
  child.kill("SIGKILL");
  await once(child, "exit");
}
